-- Earlier studies, work and volunteering as a list. The study that goes on stays in `profiles`: cards, filters and the campus mark
-- are about it, and it is the first entry of the list. Projects and certificates can be pinned, and all lists be put in order.
-- docs/decisions/0084-profiles-for-whom.md

create table experiences (
  experience_id  uuid primary key default gen_random_uuid(),
  user_id        integer not null references users (id) on delete cascade,
  kind           text not null check (kind in ('education', 'work', 'volunteer')),
  organisation   text not null check (organisation <> ''),
  title          text not null default '',
  degree         text not null default '' check (degree = '' or kind = 'education'),
  url            text not null default '',
  starts         text check (starts ~ '^\d{4}(-\d\d){0,2}$'),
  ends           text check (ends ~ '^\d{4}(-\d\d){0,2}$'),
  summary        text not null default '',
  position       smallint not null default 0,
  version        integer not null default 1,
  created_at     timestamptz not null default now()
);
comment on column experiences.title is 'what was studied, or the position';
comment on column experiences.starts is 'a year, month or day, as far as it is known';
comment on column experiences.ends is 'null: it goes on';
create index experiences_user on experiences (user_id, position);

alter table projects add column pinned boolean not null default false;
alter table certificates add column pinned boolean not null default false;
alter table profiles add column order_version integer not null default 1;
comment on column profiles.order_version is 'goes up whenever its member puts one of their lists in another order';

-- A view has the columns that its table had when it was made.
create or replace view shown_projects as
  select * from projects where not exists (select from profiles
    where profiles.user_id = projects.user_id and (hidden_at is not null or 'projects' = any(only_me)));
create or replace view public_projects as
  select * from shown_projects where exists (select from profiles
    where profiles.user_id = shown_projects.user_id and public_page and 'projects' = any(public_sections));
create or replace view shown_certificates as
  select * from certificates where not exists (select from profiles
    where profiles.user_id = certificates.user_id and (hidden_at is not null or 'certificates' = any(only_me)));
create or replace view public_certificates as
  select * from shown_certificates where exists (select from profiles
    where profiles.user_id = shown_certificates.user_id and public_page and 'certificates' = any(public_sections));

create view shown_experiences as
  select * from experiences where not exists (select from profiles where profiles.user_id = experiences.user_id
    and (hidden_at is not null or case kind when 'education' then 'academics' else 'experience' end = any(only_me)));
create view public_experiences as
  select * from shown_experiences e where exists (select from profiles where profiles.user_id = e.user_id
    and public_page and case e.kind when 'education' then 'academics' else 'experience' end = any(public_sections));

alter table terms drop constraint terms_kind_check;
alter table terms add constraint terms_kind_check check (kind in ('everyone', 'online', 'open', 'year', 'branch', 'university',
  'skill', 'name', 'expertise', 'city', 'location', 'project', 'certificate', 'experience', 'about', 'details'));

create or replace function member_terms(ids integer[])
returns table (user_id integer, kind text, key text, label text, is_public boolean)
language sql stable as $$
  with listed as materialized (
    select users.id, users.name, users.username, shown.current_year, shown.enrol_in_branch_name,
      shown.university_name, shown.open_to, shown.expertise_in, shown.city, shown.location, shown.about_text,
      coalesce(shown.show_presence, true) as show_presence, coalesce(shown.public_page, false) as page,
      coalesce(shown.public_sections, '{skills}') as sections
    from users left join shown_profiles shown on shown.user_id = users.id
    where users.id = any(ids) and not users.imported and coalesce(shown.listed, true)),
  named as (
    select id, 'everyone' as kind, '' as key, '' as label, true as is_public from listed
    union all
    -- A number at the end of a username only tells namesakes apart: without it the dictionary stays small.
    select id, 'name', regexp_replace(word, '^([[:alpha:]]{3,})[0-9]+$', '\1'), '', true
      from listed, member_words(name || ' ' || username) as word
    union all
    select id, 'branch', search_key(enrol_in_branch_name), enrol_in_branch_name, 'academics' = any(sections) from listed
    union all
    select id, 'year', current_year::text, current_year::text, 'academics' = any(sections) from listed
    union all
    select id, 'university', search_key(university_name), university_name, 'academics' = any(sections) from listed
    union all
    select id, 'open', search_key(thing), thing, true from listed, unnest(open_to) as thing
    union all
    select listed.id, 'skill', search_key(skills.name), skills.name, 'skills' = any(sections)
      from listed join shown_skills on shown_skills.user_id = listed.id join skills on skills.id = skill_id
    union all
    select id, 'expertise', word, '', 'expertise' = any(sections) from listed, member_words(expertise_in) as word
    union all
    select id, 'city', word, '', page and 'city' = any(sections) from listed, member_words(city) as word
    union all
    select id, 'location', word, '', page and 'academics' = any(sections) from listed, member_words(location) as word
    union all
    select listed.id, 'project', word, '', page and 'projects' = any(sections)
      from listed join shown_projects on shown_projects.user_id = listed.id,
        member_words(project_title) as word
    union all
    select listed.id, 'certificate', word, '', page and 'certificates' = any(sections)
      from listed join shown_certificates on shown_certificates.user_id = listed.id, member_words(certificate_title) as word
    union all
    select listed.id, 'experience', word, '', page and case e.kind when 'education' then 'academics' else 'experience' end = any(sections)
      from listed join shown_experiences e on e.user_id = listed.id,
        member_words(e.organisation || ' ' || e.title || ' ' || e.degree) as word
    union all
    select id, 'about', word, '', 'about' = any(sections) from listed, member_words(about_text) as word
    union all
    select listed.id, 'details', word, '', page and 'projects' = any(sections)
      from listed join shown_projects on shown_projects.user_id = listed.id,
        member_words(array_to_string(project_tech_stack, ' ') || ' ' || project_description) as word
    union all
    select listed.id, 'details', word, '', page and case e.kind when 'education' then 'academics' else 'experience' end = any(sections)
      from listed join shown_experiences e on e.user_id = listed.id, member_words(e.summary) as word
    union all
    select id, 'online', '', '', true from listed where show_presence and exists (
      select from connections where connections.user_id = listed.id and seen_at > now() - interval '45 seconds'))
  select distinct on (id, kind, key) id, kind, key, btrim(label), is_public from named
  where key <> '' or kind in ('everyone', 'online')
  order by id, kind, key, is_public desc
$$;

create or replace function index_members(ids integer[]) returns void language plpgsql as $$
declare
  wanted_terms member_term[];
begin
  -- Who indexes a member waits for whoever is doing so: each later statement then sees what that one committed.
  perform from users where id = any(ids) order by id for no key update;

  select array_agg((user_id, kind, key, label, is_public)::member_term) into wanted_terms from member_terms(ids);

  with fresh as (
    insert into terms (kind, key, label, members, public_members)
      select distinct on (kind, key) wanted.kind, wanted.key, wanted.label, (wanted.kind in ('about', 'details'))::int,
        (wanted.kind in ('about', 'details'))::int
      from unnest(wanted_terms) wanted
      where not exists (select from terms where terms.kind = wanted.kind and terms.key = wanted.key)
      order by kind, key
    on conflict do nothing returning id, kind, key),
  worded as (
    insert into term_words (word, term_id)
      select distinct word, id from fresh, string_to_table(key, ' ') as word
      where kind in ('name', 'skill', 'university', 'branch', 'expertise', 'city', 'location', 'project', 'certificate', 'experience')
      returning word)
  insert into word_spellings (spelling, word)
    select distinct spelling, word from worded, unnest(spellings_of(word)) as spelling order by spelling, word
  on conflict do nothing;

  delete from member_search where user_id = any(ids) and not exists (
    select from users left join profiles on profiles.user_id = users.id
    where users.id = member_search.user_id and not users.imported and coalesce(profiles.listed, true));

  with wanted as materialized (
    select user_id, array_agg(terms.id order by terms.id) as terms,
      array_agg(terms.id order by terms.id) filter (where kind in ('everyone', 'online', 'open', 'year', 'branch', 'university')) as facets,
      array_agg(terms.id order by terms.id) filter (where is_public) as public_terms
    from unnest(wanted_terms) wanted join terms using (kind, key) group by user_id),
  before as materialized (select user_id, terms, public_terms from member_search where user_id = any(ids)),
  written as (
    insert into member_search (user_id, terms, facets, public_terms, seen_at)
      select wanted.user_id, wanted.terms, wanted.facets, wanted.public_terms, case
        when wanted.facets @> array[(select id from terms where kind = 'online')] then 'infinity'
        when coalesce(show_presence, true) then coalesce(last_seen_at, '-infinity') else '-infinity' end
      from wanted left join profiles using (user_id)
    on conflict (user_id) do update set terms = excluded.terms, facets = excluded.facets, public_terms = excluded.public_terms,
        seen_at = excluded.seen_at
      where (member_search.terms, member_search.facets, member_search.public_terms, member_search.seen_at)
        is distinct from (excluded.terms, excluded.facets, excluded.public_terms, excluded.seen_at)),
  changes as (
    select id, sum(change) as change, sum(public_change) as public_change
    from (select unnest(terms) as id, 1 as change, 0 as public_change from wanted
      union all select unnest(terms), -1, 0 from before
      union all select unnest(public_terms), 0, 1 from wanted
      union all select unnest(public_terms), 0, -1 from before) as each_one
    group by id having sum(change) <> 0 or sum(public_change) <> 0),
  -- In one order everywhere, so that two who save at once wait for one another and never deadlock.
  locked as (
    select id, change, public_change from terms join changes using (id)
    where kind not in ('about', 'details') order by id for update of terms)
  update terms set members = members + locked.change, public_members = public_members + locked.public_change
    from locked where terms.id = locked.id;
end
$$;

create constraint trigger index_member after insert or delete or update of user_id, kind, organisation, title, degree, summary
  on experiences deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function index_member();
