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
