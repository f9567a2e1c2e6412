-- Notifications are about subjects, `{ type, id }`, of whatever feature; questions and their comments are such. Nothing of a large
-- table is rewritten.

alter table notifications drop constraint notifications_question_id_fkey, drop constraint notifications_comment_id_fkey;
alter table notifications rename column question_id to subject_id;
alter table notifications rename column comment_id to part_id;
alter table notifications add column subject_type text default 'query';
alter table notifications alter column subject_type drop default;
update notifications set subject_type = null where subject_id is null;
update notifications set group_key = kind || ':query:' || subject_id
  where read_at is null and subject_id is not null and kind <> 'moderation';
alter index notifications_question rename to notifications_subject;
drop index notifications_comment;
comment on column notifications.kind is 'a kind of notification that a feature declares in its manifest';
comment on column notifications.subject_type is 'what it is about; null of decisions about an account that were made before this version';
comment on column notifications.part_id is 'what of the subject the first unread one happened in, such as a comment of a question';

alter table notification_acts drop constraint notification_acts_comment_id_fkey;
alter table notification_acts rename column comment_id to part_id;
alter table notification_acts add column url text;
comment on column notification_acts.url is 'where it happened; null where it was read before this version';
update notification_acts acts set url = '/forum/comment/' || acts.part_id from notifications
  where notifications.id = acts.notification_id and read_at is null and acts.part_id is not null;
alter index notification_acts_comment rename to notification_acts_part;

create table muted_subjects (
  user_id       integer not null references users (id) on delete cascade,
  subject_type  text not null,
  subject_id    integer not null,
  muted_at      timestamptz not null default now(),
  primary key (user_id, subject_type, subject_id)
);
insert into muted_subjects (user_id, subject_type, subject_id, muted_at)
  select user_id, 'query', question_id, muted_at from muted_threads;
drop table muted_threads;

-- Messages to somebody away are a kind of notification like others: what mails told of them is kept by subject, not by conversation.

-- Up to where a member was mailed of a subject of which no notification is stored; `upto` is an id within that subject.
create table mailed_subjects (
  user_id       integer not null references users (id) on delete cascade,
  subject_type  text not null,
  subject_id    integer not null,
  upto          integer not null,
  primary key (user_id, subject_type, subject_id)
);
insert into mailed_subjects (user_id, subject_type, subject_id, upto)
  select user_id, 'conversation', conversation_id, message_id from mailed_messages;
drop table mailed_messages;

-- One row for each such kind: everything up to this id was mailed, or needed no mail.
create table unseen_progress (
  kind  text primary key,
  upto  integer not null
);
insert into unseen_progress (kind, upto) select 'message', upto from message_mails;
drop table message_mails;

-- Pushes of messages are done by the job of all pushes. One that waits under the old name would wait for ever; its mail comes.
do $$
begin
  if to_regclass('graphile_worker._private_jobs') is not null then
    delete from graphile_worker._private_jobs
      where task_id in (select id from graphile_worker._private_tasks where identifier = 'push-message');
  end if;
end $$;
