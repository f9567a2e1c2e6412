-- Searches that members saved, each with how many new results there are since they looked.
create table saved_searches (
  id          integer generated always as identity primary key,
  user_id     integer not null references users (id) on delete cascade,
  kind        text not null check (kind in ('queries', 'people')),
  query       text not null check (length(query) between 1 and 1000),
  name        text not null check (length(name) between 1 and 60),
  hits        integer not null default 0,
  seen        integer[] not null default '{}',
  created_at  timestamptz not null default now(),
  checked_at  timestamptz not null default now(),
  removed_at  timestamptz,
  unique (user_id, kind, query)
);
comment on column saved_searches.query is 'as its kind writes it in an address';
comment on column saved_searches.seen is 'of people, who matched before: members also come to match by what they change';
comment on column saved_searches.removed_at is 'when its member removed it: it can come back for ten minutes';
create index saved_searches_due on saved_searches (checked_at) where removed_at is null;
create index saved_searches_removed on saved_searches (removed_at) where removed_at is not null;
