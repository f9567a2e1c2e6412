-- Browsers that are told by push, and what is known about mails of messages.

alter table notification_preferences add column push boolean not null default true;
comment on table notification_preferences is 'only what differs from the default, which is every way';

create table push_subscriptions (
  id               integer generated always as identity primary key,
  user_id          integer not null references users (id) on delete cascade,
  session_id       integer not null references sessions (id) on delete cascade,
  endpoint         text not null unique,
  p256dh           text not null,
  auth             text not null,
  created_at       timestamptz not null default now(),
  last_success_at  timestamptz
);
comment on table push_subscriptions is 'one for each browser; it ends with the session in which it was made';
comment on column push_subscriptions.endpoint is 'the address at the browser''s push service: who knows it can push there';
create index push_subscriptions_user on push_subscriptions (user_id);
create index push_subscriptions_session on push_subscriptions (session_id);

-- The newest message that a mail told of, by conversation and member. Apart from conversation_members, whose rows are only
-- written by who holds the conversation: the mails take those of many conversations at once.
create table mailed_messages (
  conversation_id  integer not null,
  user_id          integer not null,
  message_id       integer not null,
  primary key (conversation_id, user_id),
  foreign key (conversation_id, user_id) references conversation_members (conversation_id, user_id) on delete cascade
);
create index mailed_messages_user on mailed_messages (user_id);

-- One row: every message up to this one was mailed, or needed none. What was sent before this version is not mailed.
create table message_mails (
  only_row  boolean primary key default true check (only_row),
  upto      integer not null
);
insert into message_mails (upto) select coalesce(max(id), 0) from messages;
