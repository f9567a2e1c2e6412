-- Categories that admins govern: what they are about, who asks there, where their former addresses lead. docs/decisions/0073-administration.md

alter table categories
  add column description  text not null default '',
  add column asking       text not null default 'everybody' check (asking in ('everybody', 'verified', 'staff')),
  add column archived_at  timestamptz,
  add column merged_into  integer references categories (id),
  -- grows with each save of its form, so that a second admin notices
  add column version      integer not null default 1;
comment on column categories.merged_into is 'what its questions moved to; its row stays, so that its address leads there for ever';
create index categories_merged on categories (merged_into) where merged_into is not null;

create table former_slugs (
  slug         text primary key,
  category_id  integer not null references categories (id)
);
comment on table former_slugs is 'addresses that categories had before; no other category gets one of them';

-- The category that an address means now: by its slug, by one it had before, or what it was merged into. Null for none.
create function category_at(address text) returns integer language sql stable parallel safe as $$
  select coalesce(merged_into, id) from categories where id = coalesce(
    (select id from categories where slug = address), (select category_id from former_slugs where slug = address))
$$;

alter table moderation_log
  drop constraint moderation_log_kind_check,
  add constraint moderation_log_kind_check check (kind in ('query', 'comment', 'profile', 'term', 'category'));
