-- What happened for a member: notices, grouped until they are read, and how each member wants to be told.

create table notifications (
  id          integer generated always as identity primary key,
  user_id     integer not null references users (id) on delete cascade,
  kind        text not null,
  group_key   text not null,
  actor_ids   integer[] not null,
  count       integer not null default 1,
  query_id    integer references queries (id) on delete cascade,
  comment_id  integer references comments (id) on delete set null,
  title       text not null,
  url         text not null,
  on_site     boolean not null,
  by_mail     boolean not null,
  created_at  timestamptz not null default now(),
  updated_at  timestamptz not null default now(),
  seen_at     timestamptz,
  read_at     timestamptz,
  mailed_at   timestamptz
);
comment on column notifications.kind is 'one of app/features/notifications/kinds.present.ts';
comment on column notifications.group_key is 'what falls together until it is read';
comment on column notifications.actor_ids is 'who did it, each once, the last one first, at most 50';
comment on column notifications.count is 'how often it happened';
comment on column notifications.url is 'where the first unread one of the group is';
comment on column notifications.seen_at is 'shown in a list on the site since it last grew';

create unique index notifications_open on notifications (user_id, group_key) where read_at is null;
create index notifications_newest on notifications (user_id, updated_at desc, id desc) where on_site;
create index notifications_unread on notifications (user_id, updated_at desc, id desc) where on_site and read_at is null;
create index notifications_query on notifications (query_id, user_id);
create index notifications_comment on notifications (comment_id) where comment_id is not null;
create index notifications_read on notifications (read_at) where read_at is not null;

-- One row for each member who was ever told something. Whoever writes a member's notices locks it first.
create table notification_boxes (
  user_id      integer primary key references users (id) on delete cascade,
  unread       integer not null default 0 check (unread >= 0),
  mail         text not null default 'daily' check (mail in ('daily', 'off')),
  mail_due_at  timestamptz,
  mailed_at    timestamptz
);
comment on column notification_boxes.unread is 'notices on the site without read_at';
comment on column notification_boxes.mail_due_at is 'when to look whether a mail is called for; null while nothing waits';
create index notification_boxes_due on notification_boxes (mail_due_at) where mail_due_at is not null;

create table notification_preferences (
  user_id  integer not null references users (id) on delete cascade,
  kind     text not null,
  site     boolean not null,
  mail     boolean not null,
  primary key (user_id, kind)
);
comment on table notification_preferences is 'only what differs from the default, which is both';

create table muted_threads (
  user_id   integer not null references users (id) on delete cascade,
  query_id  integer not null references queries (id) on delete cascade,
  muted_at  timestamptz not null default now(),
  primary key (user_id, query_id)
);
create index muted_threads_query on muted_threads (query_id);
