-- One search over the site: projects are found by title (A), technologies (B) and description (C), as questions are. And what
-- searches found nothing by, which moderators look through for words that the vocabulary lacks: the words, the day and how often,
-- and nothing of who searched.

-- Every name is written out: a dump is read without a search path, and makes the column anew.
create function project_document(title text, technologies text[], description text) returns tsvector
language sql immutable parallel safe as $$
  select setweight(public.text_document(title), 'A') || setweight(public.text_document(array_to_string(technologies, ', ')), 'B')
    || setweight(public.text_document(description), 'C')
$$;
alter table projects add column search tsvector not null
  generated always as (public.project_document(project_title, project_tech_stack, project_description)) stored;
create index projects_search on projects using gin (search) with (fastupdate = off);

-- As in migration 42; a view has the columns that its table had when it was made.
create or replace view shown_projects as
  select * from projects where not exists (select from profiles
    where profiles.user_id = projects.user_id and (hidden_at is not null or 'projects' = any(only_me)));

create table missed_searches (
  day       date not null default current_date,
  words     text not null check (length(words) between 2 and 60),
  searches  integer not null default 1,
  primary key (day, words)
);
comment on table missed_searches is 'searches of a day that found nothing as they were typed; kept for 90 days';
