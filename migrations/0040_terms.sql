-- Skills, technologies of projects and tags are one vocabulary: terms with their spellings, parents and a description.
-- docs/decisions/0059-one-vocabulary.md

-- What is left of a spelling once nothing but its way of writing is taken away: Node.js, node-js and NODEJS are one, C and C++
-- and C# are three, and .net is not net. termKey of app/features/terms/terms.view.ts does the same.
create function term_key(value text) returns text language sql immutable strict parallel safe
  return case
    when regexp_replace(btrim(lower(normalize(value, NFKC))), '[\s._/-]+', '', 'g') = '' then btrim(lower(normalize(value, NFKC)))
    when btrim(lower(normalize(value, NFKC))) like '.%'
      then '.' || regexp_replace(btrim(lower(normalize(value, NFKC))), '[\s._/-]+', '', 'g')
    else regexp_replace(btrim(lower(normalize(value, NFKC))), '[\s._/-]+', '', 'g')
  end;

create function term_keys(words text[]) returns text[] language sql immutable strict parallel safe
  return array(select term_key(word) from unnest(words) as word);

create table vocabulary_terms (
  id           integer generated always as identity primary key,
  name         text not null check (length(name) between 1 and 50),
  tag          text not null unique check (tag = lower(tag) and length(tag) between 1 and 35),
  description  text not null default '' check (length(description) <= 500),
  edited_at    timestamptz,
  unaligned    boolean not null default false
);
comment on table vocabulary_terms is 'other than terms, which is the index of what members are found by';
comment on column vocabulary_terms.name is 'how skills and technologies of projects are written';
comment on column vocabulary_terms.tag is 'how tags are written; it never changes, as addresses hold it';
comment on column vocabulary_terms.edited_at is 'when a moderator changed it; null as long as the start set may';
comment on column vocabulary_terms.unaligned is 'profiles, projects or questions may still have another spelling of it';
create index vocabulary_terms_unaligned on vocabulary_terms (id) where unaligned;

create table term_spellings (
  key       text primary key,
  spelling  text not null,
  term_id   integer references vocabulary_terms (id) on delete cascade,
  added_at  timestamptz
);
comment on column term_spellings.term_id is 'null for what a moderator took from a term, so that the start set does not give it back';
comment on column term_spellings.added_at is 'when a moderator added it; null for one of the start set';
create index term_spellings_term on term_spellings (term_id);

create table term_parents (
  term_id    integer not null references vocabulary_terms (id) on delete cascade,
  parent_id  integer not null references vocabulary_terms (id) on delete cascade check (parent_id <> term_id),
  primary key (term_id, parent_id)
);
create index term_parents_parent on term_parents (parent_id);

create table start_sets (
  name  text primary key,
  hash  text not null
);
comment on table start_sets is 'which version of a data file the tables were filled from, so that an unchanged one costs nothing at a start';

-- The technologies of a project under the names of their terms, each once, in their order.
create function term_names(words text[]) returns text[] language sql stable strict parallel safe
  return array(
    select meant.name from (
      select coalesce(vocabulary_terms.name, given.word) as name, min(given.place) as place
      from unnest(words) with ordinality as given (word, place)
      left join term_spellings on term_spellings.key = term_key(given.word)
      left join vocabulary_terms on vocabulary_terms.id = term_spellings.term_id
      group by 1) as meant
    order by meant.place);

alter table skills add column term_key text generated always as (term_key(name)) stored;
create index skills_term_key on skills (term_key);
alter table tags add column term_key text generated always as (term_key(name)) stored;
create index tags_term_key on tags (term_key);
create index projects_term_keys on projects using gin (term_keys(project_tech_stack));

-- What is done to a term stands in the log of moderation; a term is nobody's, so its member is who did it.
alter table moderation_log
  drop constraint moderation_log_kind_check,
  add constraint moderation_log_kind_check check (kind in ('query', 'comment', 'profile', 'term'));

-- The synonyms of tags become spellings of terms. Where members write the main tag as a skill, the term is called so.
insert into vocabulary_terms (name, tag, edited_at)
  select coalesce((select skills.name from skills where skills.term_key = term_key(main) order by member_count desc, id limit 1), main),
    main, null
  from (select distinct on (term_key(main)) main from tag_synonyms order by term_key(main), main) as mains;
insert into term_spellings (key, spelling, term_id) select term_key(tag), tag, id from vocabulary_terms;
insert into term_spellings (key, spelling, term_id, added_at)
  select distinct on (term_key(tag_synonyms.name)) term_key(tag_synonyms.name), tag_synonyms.name, main.term_id,
    -- What came with a migration was not added by a moderator.
    (select tag_synonyms.created_at where tag_synonyms.created_at not in (select applied_at from migrations))
  from tag_synonyms join term_spellings as main on main.key = term_key(tag_synonyms.main)
  order by term_key(tag_synonyms.name), tag_synonyms.name desc
  on conflict do nothing;
drop table tag_synonyms;
