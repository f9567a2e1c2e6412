-- Conversations of two members.

-- One for each pair. Whoever changes anything in it locks this row first and raises the version, so that ids and versions
-- of its messages commit in order and "everything after version v" is complete.
create table conversations (
  id          integer generated always as identity primary key,
  lower_id    integer not null references users (id) on delete cascade,
  higher_id   integer not null references users (id) on delete cascade,
  started_by  integer not null references users (id) on delete cascade,
  version     integer not null default 0,
  created_at  timestamptz not null default now(),
  unique (lower_id, higher_id),
  check (lower_id < higher_id and started_by in (lower_id, higher_id))
);
create index conversations_higher on conversations (higher_id);
create index conversations_started on conversations (started_by, created_at);

create table messages (
  id               integer generated always as identity primary key,
  conversation_id  integer not null references conversations (id) on delete cascade,
  sender_id        integer not null references users (id) on delete cascade,
  recipient_id     integer,
  client_id        uuid not null,
  body             text not null,
  html             text not null,
  kept_body        text,
  kept_html        text,
  sent_at          timestamptz not null default clock_timestamp(),
  edited_at        timestamptz,
  deleted_at       timestamptz,
  version          integer not null,
  -- Who may read it stands in the document beside its words, so that one index range holds a member's own matches only.
  search           tsvector generated always as (case when deleted_at is null then
                     array_to_tsvector(array_remove(array['@' || sender_id, '@' || recipient_id], null))
                     || to_tsvector('english'::regconfig, body) end) stored,
  unique (sender_id, client_id),
  check (deleted_at is null or (body = '' and html = '' and kept_body is null)),
  check ((kept_body is null) = (kept_html is null))
);
comment on column messages.recipient_id is 'the other member; null for ever when they had blocked the sender: they never see it';
comment on column messages.client_id is 'the sender''s own id, the same on every try';
comment on column messages.kept_body is 'what the recipient goes on seeing, who had blocked the sender when it was changed';
comment on column messages.version is 'of the conversation, at the last change of this message';
create index messages_order on messages (conversation_id, id);
create index messages_version on messages (conversation_id, version);
create index messages_sender on messages (sender_id, id);
create index messages_search on messages using gin (search);

-- Each member's side of a conversation.
create table conversation_members (
  conversation_id  integer not null references conversations (id) on delete cascade,
  user_id          integer not null references users (id) on delete cascade,
  last_message_id  integer,
  unread           integer not null default 0 check (unread >= 0),
  read_id          integer not null default 0,
  delivered_id     integer not null default 0,
  muted            boolean not null default false,
  pending          boolean not null default false,
  primary key (conversation_id, user_id)
);
comment on column conversation_members.last_message_id is 'the newest that this member may see; null while there is none';
comment on column conversation_members.unread is 'of the peer, after read_id, visible and not deleted';
comment on column conversation_members.pending is 'a stranger wrote, and this member has not answered or accepted';
create index conversation_members_inbox on conversation_members (user_id, last_message_id desc) where last_message_id is not null;
create index conversation_members_unread on conversation_members (user_id) where unread > 0 and not muted and not pending;
create index conversation_members_requests on conversation_members (user_id, last_message_id desc) where pending and last_message_id is not null;

create table blocks (
  blocker_id  integer not null references users (id) on delete cascade,
  blocked_id  integer not null references users (id) on delete cascade,
  blocked_at  timestamptz not null default now(),
  primary key (blocker_id, blocked_id),
  check (blocker_id <> blocked_id)
);
create index blocks_blocked on blocks (blocked_id);

create table chat_settings (
  user_id  integer primary key references users (id) on delete cascade,
  accepts  text not null default 'members' check (accepts in ('members', 'verified', 'nobody'))
);
comment on column chat_settings.accepts is 'who may begin a conversation with this member';

-- All of the words, each as a beginning: finds "deadline" while "dead" is typed. Nothing for a search with a phrase or a minus.
create function begun_query(words text) returns tsquery language sql immutable parallel safe as $$
  select coalesce(string_agg(quote_literal(word) || ':*', ' & ')::tsquery, ''::tsquery)
  from (select distinct lower(found[1]) as word from regexp_matches(words, '[[:alnum:]]{2,}', 'g') as found) beginnings
  where words !~ '["-]'
$$;

-- A report of a message is a report of its sender, with a copy of what was reported: moderators see that and nothing else.
create table reported_messages (
  report_id    integer not null references reports (id) on delete cascade,
  message_id   integer not null,
  extract      jsonb not null,
  reported_at  timestamptz not null default now(),
  primary key (report_id, message_id)
);
comment on column reported_messages.message_id is 'what was reported; the copy outlives it';
comment on column reported_messages.extract is 'the message and at most five before it, as the reporter saw them: [{sender, body, sentAt}]';
