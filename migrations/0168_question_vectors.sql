-- What the texts of a question mean, for the order of similar questions. docs/decisions/0111-what-questions-mean.md

create table question_vectors (
  question_id  integer primary key references questions (id) on delete cascade,
  changed_at   timestamptz not null default clock_timestamp(),
  vector       bytea
);
comment on column question_vectors.changed_at is 'when the texts changed last: a vector that was made of older ones is not stored';
comment on column question_vectors.vector is 'a scale (float4, big-endian) and 512 signed bytes; null until it is made of the present texts';
create index question_vectors_missing on question_vectors (question_id) where vector is null;

-- The search document follows each change of what is shown of a question: its own texts, its comments, their status.
create function note_question_texts() returns trigger language plpgsql as $$
begin
  if new.status <> 'published' then
    delete from question_vectors where question_id = new.id;
  else
    insert into question_vectors (question_id) values (new.id)
    on conflict (question_id) do update set vector = null, changed_at = excluded.changed_at;
  end if;
  return null;
end $$;
create trigger note_question_texts after insert or update of search, status on questions
  for each row execute function note_question_texts();
