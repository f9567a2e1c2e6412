-- A question or a comment has one status, with why, by whom and since when; before, seven columns said it together.

drop trigger learn_question on questions;
drop index questions_newest, questions_active, questions_unanswered, questions_solved, questions_category_newest, questions_category_active,
  questions_category_unanswered, questions_category_solved, questions_deleted_by, comments_deleted_by;

alter table questions
  add column status         text not null default 'published',
  add column status_reason  text not null default '',
  add column status_by      integer references users (id),
  add column status_at      timestamptz,
  drop constraint questions_merged;
update questions set status = coalesce(case withheld when 'waiting' then 'pending' else withheld end, 'deleted'),
    status_reason = withheld_reason, status_by = deleted_by, status_at = deleted_at
  where deleted_at is not null;
alter table questions
  drop column deleted_at, drop column deleted_by, drop column withdrawn, drop column withheld, drop column withheld_reason,
  add constraint questions_status check (status in ('published', 'pending', 'hidden', 'merged', 'deleted')),
  add constraint questions_merged check ((status = 'merged') = (merged_into is not null));
comment on column questions.status is 'only published questions are listed, counted and found; pending: waits for a moderator';
comment on column questions.status_reason is 'in the moderator''s words';
comment on column questions.status_by is 'who gave it this status; null where a rule did, and where its author deleted it while it was pending';
comment on column questions.status_at is 'since when; null for what was published from the start';

alter table comments
  add column status         text not null default 'published',
  add column status_reason  text not null default '',
  add column status_by      integer references users (id),
  add column status_at      timestamptz;
update comments set status = coalesce(case withheld when 'waiting' then 'pending' else withheld end, 'deleted'),
    status_reason = withheld_reason, status_by = deleted_by, status_at = deleted_at, was_solution = was_solution or withheld_solution or is_solution, is_solution = false
  where deleted_at is not null;
alter table comments
  drop column deleted_at, drop column deleted_by, drop column withheld, drop column withheld_reason, drop column withheld_solution,
  add constraint comments_status check (status in ('published', 'pending', 'hidden', 'deleted')),
  add constraint comments_status_solution check (status = 'published' or not is_solution);
comment on column comments.status is 'as of questions; the place of one that is not published stays as long as replies need it';
comment on column comments.status_by is 'as of questions';
comment on column comments.was_solution is 'whether one that is not published was a solution, for the way back';

create index questions_newest on questions (created_at desc, id desc) where status = 'published';
create index questions_active on questions (active_at desc, id desc) where status = 'published';
create index questions_unanswered on questions (created_at desc, id desc) where status = 'published' and comment_count = 0;
create index questions_solved on questions (created_at desc, id desc) where status = 'published' and solved;
create index questions_category_newest on questions (category_id, created_at desc, id desc) where status = 'published';
create index questions_category_active on questions (category_id, active_at desc, id desc) where status = 'published';
create index questions_category_unanswered on questions (category_id, created_at desc, id desc) where status = 'published' and comment_count = 0;
create index questions_category_solved on questions (category_id, created_at desc, id desc) where status = 'published' and solved;
create index questions_status_by on questions (status_by) where status_by is not null;
create index comments_status_by on comments (status_by) where status_by is not null;

-- Words of a question are learned when it is published, not before.
create trigger learn_question after insert or update of title, tags, status on questions for each row
  when (new.status = 'published') execute function learn_question();

create or replace function whole_document(question questions) returns tsvector language plpgsql stable parallel safe as $$
declare
  document tsvector := question_document(question.title, question.tags, left(question.description, 30000));
  comment_body text;
begin
  for comment_body in select body from comments where question_id = question.id and status = 'published' order by path limit 300 loop
    document := grown_document(document, comment_body);
  end loop;
  return document;
end
$$;

create or replace function refresh_similar_words() returns void language plpgsql as $$
declare
  sampled integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('refresh_similar_words')) then
    return;
  end if;
  create temporary table sample on commit drop as
    select search from questions where status = 'published' order by id desc limit 20000;
  select count(*) into sampled from sample;
  create temporary table counted on commit drop as
    select word, ndoc from ts_stat('select search from sample')
    where length(word) <= 60 and (ndoc > 1 or sampled <= 2000);
  delete from similar_words where not exists (select 1 from counted where counted.word = similar_words.word);
  insert into similar_words (word, documents) select word, ndoc from counted
    on conflict (word) do update set documents = excluded.documents where similar_words.documents <> excluded.documents;
  update similar_totals set (documents, words, title_words) =
    (select sampled, coalesce(greatest(1, avg(length(search))), 1), coalesce(greatest(1, avg(length(ts_filter(search, '{a}')))), 1) from sample);
  -- Called twice in one transaction, as tests may.
  drop table sample, counted;
end
$$;

-- Without figures of its own, the planner would take a published row for a rare one.
analyze questions (status);
analyze comments (status);
