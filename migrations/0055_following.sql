-- A question can be followed as a tag or a category can, and a member can say that they have the same problem.

alter table follows add column question_id integer references questions (id) on delete cascade;
alter table follows drop constraint follows_check;
alter table follows add constraint follows_check check (num_nonnulls(tag_id, category_id, question_id) = 1);
alter table follows add unique (user_id, question_id);
create index follows_question on follows (question_id, user_id) where question_id is not null;
create index follows_questions_of on follows (user_id, followed_at desc, question_id desc) where question_id is not null;

create table affected_members (
  question_id  integer not null references questions (id) on delete cascade,
  user_id      integer not null references users (id) on delete cascade,
  said_at      timestamptz not null default now(),
  primary key (question_id, user_id)
);
comment on table affected_members is 'who has the problem that a question asks about, besides who asked';
create index affected_members_user on affected_members (user_id);

alter table questions add column affected_count integer not null default 0;

-- Rows also go with an account: whatever takes one away, the count follows.
create function count_affected() returns trigger language plpgsql as $$
begin
  update questions set affected_count = affected_count + case tg_op when 'INSERT' then 1 else -1 end
    where id = coalesce(new.question_id, old.question_id);
  return null;
end
$$;
create trigger count_affected after insert or delete on affected_members for each row execute function count_affected();
