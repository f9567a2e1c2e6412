-- “Everything of this account” hidden in one act, and what exactly it hid, so that it can be undone as one.
-- docs/decisions/0099-takedowns.md

create table takedowns (
  id               integer generated always as identity primary key,
  member_id        integer not null references users (id) on delete cascade,
  actor_id         integer not null default 0 references users (id) on delete set default,
  reason           text not null,
  posted_from      timestamptz,
  posted_until     timestamptz not null default clock_timestamp(),
  suspended_to     timestamptz,
  state            text not null default 'running' check (state in ('running', 'done', 'undoing', 'undone')),
  counts           jsonb not null default '{}',
  undone_by        integer references users (id) on delete set null,
  undone_at        timestamptz
);
comment on column takedowns.posted_from is 'null for everything';
comment on column takedowns.suspended_to is 'what the act set; null where it suspended nobody';
comment on column takedowns.counts is 'how many of each kind were hidden, and how many of them were restored';
create unique index takedowns_open on takedowns (member_id) where state in ('running', 'undoing');
create index takedowns_member on takedowns (member_id, id desc);
create index takedowns_actor on takedowns (actor_id);
create index takedowns_undone_by on takedowns (undone_by);

create table takedown_items (
  takedown_id  integer not null references takedowns (id) on delete cascade,
  kind         text not null,
  target_id    integer not null,
  before       jsonb not null default '{}',
  restored     boolean not null default false,
  primary key (takedown_id, kind, target_id)
);
comment on column takedown_items.before is 'how it stood before, and what tells that it was not changed since';
