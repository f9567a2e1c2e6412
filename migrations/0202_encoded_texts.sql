-- A question is encoded again when its encoded texts change, and later where only comments were added.
-- docs/decisions/0152-when-a-question-is-encoded-again.md

-- Tables in the order in which a writer locks them.
drop trigger note_question_texts on questions;
create trigger note_question_texts after insert or update of title, description, status on questions
  for each row execute function note_question_texts();

-- Only the first 20 published comments on the question itself are encoded (MAX_COMMENTS in vectors.queries.server.ts).
create function note_comment_text() returns trigger language plpgsql as $$
declare
  changed comments := coalesce(new, old);
begin
  if (select count(*) from (select from comments
      where question_id = changed.question_id and parent_id is null and id < changed.id and status = 'published' limit 20) earlier) = 20 then
    return null;
  end if;
  if tg_op = 'INSERT' then
    update question_vectors set changed_at = clock_timestamp(), outdated_since = coalesce(outdated_since, clock_timestamp())
    where question_id = changed.question_id;
  else
    update question_vectors set changed_at = clock_timestamp(), vector = null where question_id = changed.question_id;
  end if;
  return null;
end $$;
create trigger note_comment_added after insert on comments
  for each row when (new.parent_id is null and new.status = 'published') execute function note_comment_text();
create trigger note_comment_changed after update of body, status on comments
  for each row when (old.parent_id is null and 'published' in (old.status, new.status) and (old.body, old.status) is distinct from (new.body, new.status))
  execute function note_comment_text();
create trigger note_comment_deleted after delete on comments
  for each row when (old.parent_id is null and old.status = 'published') execute function note_comment_text();

alter table question_vectors add column outdated_since timestamptz;
comment on column question_vectors.outdated_since is 'since when comments that the vector lacks were added; null if it has all of its texts';

drop index question_vectors_missing;
create index question_vectors_outdated on question_vectors (question_id) where vector is null or outdated_since is not null;
