-- Which questions ask something alike, as their pages show it. docs/decisions/0112-related-questions.md

create table related_questions (
  question_id  integer primary key references questions (id) on delete cascade,
  related_ids  integer[] not null default '{}',
  made_at      timestamptz,
  wanted_at    timestamptz default clock_timestamp(),
  changed      boolean not null default false,
  opened       boolean not null default false
);
comment on column related_questions.related_ids is 'the best first; some may no longer be published, or be gone';
comment on column related_questions.made_at is 'when they were found last; null: never';
comment on column related_questions.wanted_at is 'since when they are to be found anew; null: they are as they shall be';
comment on column related_questions.changed is 'whether the question is new or its texts have changed since they were found';
comment on column related_questions.opened is 'whether somebody opened the page since then';
create index related_questions_wanted on related_questions (opened desc, question_id desc) where wanted_at is not null;

create function note_changed_question() returns trigger language plpgsql as $$
begin
  if new.status <> 'published' then
    delete from related_questions where question_id = new.id;
  elsif tg_op = 'INSERT' or old.status <> 'published' or (new.title, new.description) is distinct from (old.title, old.description) then
    insert into related_questions (question_id, changed) values (new.id, true)
    on conflict (question_id) do update set wanted_at = excluded.wanted_at, changed = true;
  end if;
  return null;
end $$;
create trigger note_changed_question after insert or update of title, description, status on questions
  for each row execute function note_changed_question();
