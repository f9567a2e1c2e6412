-- The archive of a member's data: one at a time, made by a job, fetched for some days. docs/decisions/0081-archives.md
create table archives (
  user_id   integer primary key references users (id) on delete cascade,
  -- The file in the storage, under a name that nobody can guess.
  name      text not null,
  asked_at  timestamptz not null default now(),
  parts     integer not null default 0,
  done      integer not null default 0,
  bytes     bigint,
  ready_at  timestamptz
);
comment on column archives.parts is 'tables and pictures that go into it, of which so many are done';
create index archives_ready on archives (ready_at);
