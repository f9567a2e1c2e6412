-- Keeping order: reports, the moderators' queue, what they withhold, who is suspended, and the record of it all.

alter table users
  add column suspended_until   timestamptz,
  add column suspended_reason  text not null default '',
  add column approved_at       timestamptz;
comment on column users.suspended_until is 'nothing is written before this moment; infinity: for ever';
comment on column users.approved_at is 'when a moderator first let a post of theirs pass';
create index users_suspended on users (suspended_until desc, id) where suspended_until is not null;
create index users_staff on users (role, username) where role <> 'member';

-- What is withheld is also marked as deleted, so that whatever lists, counts or searches leaves it out without knowing of it.
alter table queries
  add column withheld         text check (withheld in ('hidden', 'waiting', 'merged')),
  add column withheld_reason  text not null default '',
  add column locked_at        timestamptz,
  add column merged_into      integer references queries (id),
  add constraint queries_withheld check (withheld is null or deleted_at is not null),
  add constraint queries_merged check ((withheld is not distinct from 'merged') = (merged_into is not null));
comment on column queries.withheld is 'why it is out of the forum though nobody deleted it; deleted_at says since when';
comment on column queries.locked_at is 'since when nobody may comment';

alter table comments
  add column withheld           text check (withheld in ('hidden', 'waiting')),
  add column withheld_reason    text not null default '',
  add column withheld_solution  boolean not null default false,
  add constraint comments_withheld check (withheld is null or deleted_at is not null);
comment on column comments.withheld_solution is 'whether it was a solution, for the way back';

-- Counting what a member wrote in an hour includes what they deleted.
drop index queries_author;
create index queries_author on queries (author_id, created_at desc, id desc);

-- One case for each thing that was ever reported or had to wait; it opens again when it is reported again.
create table cases (
  id            integer generated always as identity primary key,
  kind          text not null check (kind in ('query', 'comment', 'profile')),
  target_id     integer not null,
  report_count  integer not null default 0,
  waits         boolean not null default false,
  active_at     timestamptz not null default now(),
  closed_at     timestamptz,
  unique (kind, target_id)
);
comment on column cases.target_id is 'of the query, the comment or the user; their rows are never removed';
comment on column cases.report_count is 'open reports';
comment on column cases.waits is 'a first post that somebody has to let pass';
create index cases_newest on cases (active_at desc, id desc) where closed_at is null;
create index cases_most on cases (report_count desc, id desc) where closed_at is null;

create table reports (
  id           integer generated always as identity primary key,
  case_id      integer not null references cases (id) on delete cascade,
  reporter_id  integer not null references users (id),
  reason       text not null check (reason in ('spam', 'off-topic', 'abusive', 'other')),
  details      text not null default '',
  created_at   timestamptz not null default now(),
  settled_at   timestamptz
);
create unique index reports_open on reports (case_id, reporter_id) where settled_at is null;
create index reports_case on reports (case_id, id desc);
create index reports_reporter on reports (reporter_id, created_at desc);

-- Who did what to whose text and why. Rows are added and never changed.
create table moderation_log (
  id         integer generated always as identity primary key,
  at         timestamptz not null default now(),
  actor_id   integer not null references users (id),
  act        text not null,
  kind       text not null check (kind in ('query', 'comment', 'profile')),
  target_id  integer not null,
  member_id  integer not null references users (id),
  why        text not null default '',
  facts      jsonb not null default '{}'
);
comment on column moderation_log.member_id is 'whose text it was, or who was suspended';
create index moderation_log_actor on moderation_log (actor_id, id desc);
create index moderation_log_member on moderation_log (member_id, id desc);
