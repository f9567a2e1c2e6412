-- What a member asks is a question everywhere: tables, columns, indexes, constraints, sequences, triggers and functions are renamed.
-- Nothing is rewritten or scanned, so that a forum of any size is unavailable for no more than a moment.

alter table queries rename to questions;
alter table query_tags rename to question_tags;
alter table query_votes rename to question_votes;

do $$
declare
  command text;
begin
  for command in
    select format('alter table %I rename column %I to %I', c.relname, a.attname, replace(a.attname, 'query_', 'question_'))
      from pg_attribute a join pg_class c on c.oid = a.attrelid
      where c.relnamespace = 'public'::regnamespace and c.relkind = 'r' and a.attname in ('query_id', 'query_count')
    union all
    select format('alter table %s rename constraint %I to %I', conrelid::regclass, conname, renamed)
      from pg_constraint, replace(replace(conname, 'queries', 'questions'), 'query', 'question') as renamed
      where connamespace = 'public'::regnamespace and conname <> renamed
    union all
    select format('alter %s %I rename to %I', case relkind when 'i' then 'index' else 'sequence' end, relname, renamed)
      from pg_class c, replace(replace(relname, 'queries', 'questions'), 'query', 'question') as renamed
      where relnamespace = 'public'::regnamespace and relkind in ('i', 'S') and relname <> renamed
        and not exists (select from pg_constraint where conindid = c.oid and conname = relname)
    union all
    select format('alter trigger %I on %s rename to %I', tgname, tgrelid::regclass, replace(tgname, 'query', 'question'))
      from pg_trigger where not tgisinternal and tgname like '%query%'
    union all
    select format('alter function %s rename to %I', oid::regprocedure, replace(proname, 'query', 'question'))
      from pg_proc where pronamespace = 'public'::regnamespace
        and proname in ('query_document', 'note_query_pictures', 'count_query_vote', 'fill_query_tag', 'follow_query', 'learn_query')
    union all
    select format('comment on %s is %L', case when objsubid = 0 then format('table %s', objoid::regclass) else format('column %s.%I', objoid::regclass, a.attname) end, renamed)
      from pg_description d join pg_class c on c.oid = objoid left join pg_attribute a on a.attrelid = objoid and a.attnum = objsubid and objsubid > 0,
        replace(replace(replace(description, 'query_', 'question_'), 'queries', 'questions'), 'query', 'question') as renamed
      where classoid = 'pg_class'::regclass and c.relnamespace = 'public'::regnamespace and description <> renamed
  loop
    execute command;
  end loop;
end
$$;

update counters set name = 'questions' where name = 'queries';

-- PostgreSQL follows a rename in indexes and foreign keys, not in the text of a function.
drop function whole_document(questions);
create function whole_document(question questions) returns tsvector language plpgsql stable parallel safe as $$
declare
  document tsvector := question_document(question.title, question.tags, left(question.description, 30000));
  comment_body text;
begin
  for comment_body in select body from comments where question_id = question.id and deleted_at is null order by path limit 300 loop
    document := grown_document(document, comment_body);
  end loop;
  return document;
end
$$;

create or replace function note_question_pictures() returns trigger language plpgsql as $$
begin
  delete from post_pictures where question_id = new.id;
  insert into post_pictures (path, question_id) select path, new.id from pictures_in(new.description) as path;
  return null;
end
$$;

create or replace function count_question_vote() returns trigger language plpgsql as $$
begin
  update questions set score = score + coalesce(new.value, 0) - coalesce(old.value, 0) where id = coalesce(new.question_id, old.question_id);
  return null;
end
$$;

create or replace function fill_question_tag() returns trigger language plpgsql as $$
begin
  select active_at, comment_count = 0, solved into new.active_at, new.unanswered, new.solved from questions where id = new.question_id;
  return new;
end
$$;

create or replace function follow_question() returns trigger language plpgsql as $$
begin
  update question_tags set active_at = new.active_at, unanswered = new.comment_count = 0, solved = new.solved where question_id = new.id;
  return null;
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
    select search from questions where deleted_at is null order by id desc limit 20000;
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
