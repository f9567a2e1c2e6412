-- Members who are asked whether they know the answer to a new question, and questions that are left out by chance, to compare.
-- docs/decisions/0069-questions-that-reach-people.md says how they are chosen.

create table routing_members (
  user_id       integer primary key references users (id) on delete cascade,
  opted_in      boolean not null default false,
  feed_version  integer not null default 0
);
comment on table routing_members is 'what a member chose; who has no row chose nothing. Locked while the member is asked';
comment on column routing_members.feed_version is 'raised to end the address of the member''s feed';
create index routing_members_opted_in on routing_members (user_id) where opted_in;

create table question_routing (
  question_id   integer primary key references questions (id) on delete cascade,
  routed        boolean not null,
  published_at  timestamptz not null default now(),
  rounds        smallint not null default 0
);
comment on column question_routing.routed is 'false for one that chance left out: nobody is ever asked';
comment on column question_routing.rounds is 'how many times members were looked for';
create index question_routing_published on question_routing (published_at);

create table question_asks (
  question_id  integer not null references questions (id) on delete cascade,
  user_id      integer not null references users (id) on delete cascade,
  round        smallint not null,
  tag_ids      integer[] not null,
  names        text[] not null,
  asked_at     timestamptz not null default now(),
  declined_at  timestamptz,
  primary key (question_id, user_id)
);
comment on column question_asks.tag_ids is 'the tags for which the member was chosen: “not me” lowers these';
comment on column question_asks.names is 'what the member knows that led to it, as they are told';
create index question_asks_member on question_asks (user_id, asked_at desc);
create index question_asks_declined on question_asks (user_id, declined_at) where declined_at is not null;
