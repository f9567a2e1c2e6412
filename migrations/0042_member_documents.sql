-- A member is found by everything that their profile shows: also by expertise, city, projects, certificates and the texts about
-- them. What only its owner sees is no part of it. docs/decisions/0058-people-by-documents.md says how it is searched.

-- Sections that their owner keeps to themselves. The views through which others read profiles leave them out.
alter table profiles add column only_me text[] not null default '{}'
  check (only_me <@ array['city', 'expertise', 'about', 'skills', 'academics', 'social', 'projects', 'certificates']);
comment on column profiles.only_me is 'sections that others do not see, whoever they are; moderators do';

create or replace view shown_profiles as
  select user_id, listed, show_presence, last_seen_at, hidden_at is not null as hidden,
    case when hidden_at is null then phone else '' end as phone,
    case when hidden_at is null and not 'city' = any(only_me) then city else '' end as city,
    case when hidden_at is null and not 'expertise' = any(only_me) then expertise_in else '' end as expertise_in,
    case when hidden_at is null and not 'about' = any(only_me) then about else '' end as about,
    case when hidden_at is null then open_to else '{}' end as open_to,
    case when hidden_at is null and not 'academics' = any(only_me) then university_name else '' end as university_name,
    case when hidden_at is null and not 'academics' = any(only_me) then location else '' end as location,
    case when hidden_at is null and not 'academics' = any(only_me) then enrol_in_branch_name else '' end as enrol_in_branch_name,
    case when hidden_at is null and not 'academics' = any(only_me) then year_of_passing end as year_of_passing,
    case when hidden_at is null and not 'academics' = any(only_me) then current_semester end as current_semester,
    case when hidden_at is null and not 'academics' = any(only_me) then current_year end as current_year,
    case when hidden_at is null and not 'academics' = any(only_me) then enrolment_number else '' end as enrolment_number,
    case when hidden_at is null and not 'academics' = any(only_me) then university_email else '' end as university_email,
    case when hidden_at is null and not 'social' = any(only_me) then github else '' end as github,
    case when hidden_at is null and not 'social' = any(only_me) then linkedin else '' end as linkedin,
    case when hidden_at is null and not 'social' = any(only_me) then leetcode else '' end as leetcode,
    case when hidden_at is null and not 'social' = any(only_me) then portfolio else '' end as portfolio,
    case when hidden_at is null and not 'social' = any(only_me) then hackerrank else '' end as hackerrank,
    case when hidden_at is null and not 'social' = any(only_me) then codechef else '' end as codechef,
    case when hidden_at is null and not 'social' = any(only_me) then geeksforgeek else '' end as geeksforgeek,
    hidden_at is null and show_email as show_email,
    hidden_at is null and show_phone as show_phone,
    case when hidden_at is null and not 'academics' = any(only_me) then campus_name else '' end as campus_name,
    case when hidden_at is null and not 'academics' = any(only_me) then campus_verified_at end as campus_verified_at
  from profiles;

create or replace view shown_skills as
  select * from profile_skills where not exists (select from profiles
    where profiles.user_id = profile_skills.user_id and (hidden_at is not null or 'skills' = any(only_me)));
create or replace view shown_certificates as
  select * from certificates where not exists (select from profiles
    where profiles.user_id = certificates.user_id and (hidden_at is not null or 'certificates' = any(only_me)));
create or replace view shown_projects as
  select * from projects where not exists (select from profiles
    where profiles.user_id = projects.user_id and (hidden_at is not null or 'projects' = any(only_me)));

-- A kind says which field a term is from. Whole values: year, branch, university, skill. Single words: the others. Of `about`
-- and `details` (texts and technologies of projects) there are so many words that nobody counts them or looks for their beginnings.
alter table terms drop constraint terms_kind_check;
alter table terms add constraint terms_kind_check check (kind in ('everyone', 'online', 'open', 'year', 'branch', 'university',
  'skill', 'name', 'expertise', 'city', 'location', 'project', 'certificate', 'about', 'details'));

-- The different words of a text; “Front-end” is also found as one word.
create function member_words(value text) returns setof text language sql stable parallel safe as $$
  select distinct word from string_to_table(search_key(case when value like '%-%'
    then value || ' ' || regexp_replace(value, '([[:alpha:]])-(?=[[:alpha:]])', '\1', 'g') else value end), ' ') as word
  where length(word) between 1 and 50
$$;

drop index member_search_terms;
alter table member_search drop column block;
alter table member_search
  -- 1,024 members who joined one after the other
  add column block integer not null generated always as (user_id >> 10) stored,
  -- those of `terms` that filters count
  add column facets integer[] not null default '{}';

create or replace function member_terms(ids integer[]) returns table (user_id integer, kind text, key text, label text)
language sql stable as $$
  with listed as materialized (
    select users.id, users.name, users.username, profiles.current_year, profiles.enrol_in_branch_name,
      profiles.university_name, profiles.open_to, profiles.expertise_in, profiles.city, profiles.location, profiles.about,
      coalesce(profiles.show_presence, true) as show_presence
    from users left join shown_profiles profiles on profiles.user_id = users.id
    where users.id = any(ids) and not users.imported and coalesce(profiles.listed, true)),
  named as (
    select id, 'everyone' as kind, '' as key, '' as label from listed
    union all
    -- A number at the end of a username only tells namesakes apart: without it the dictionary stays small.
    select id, 'name', regexp_replace(word, '^([[:alpha:]]{3,})[0-9]+$', '\1'), '' from listed, member_words(name || ' ' || username) as word
    union all
    select id, 'branch', search_key(enrol_in_branch_name), enrol_in_branch_name from listed
    union all
    select id, 'year', current_year::text, current_year::text from listed
    union all
    select id, 'university', search_key(university_name), university_name from listed
    union all
    select id, 'open', thing, thing from listed, unnest(open_to) as thing
    union all
    select listed.id, 'skill', search_key(skills.name), skills.name
      from listed join shown_skills on shown_skills.user_id = listed.id join skills on skills.id = skill_id
    union all
    select id, 'expertise', word, '' from listed, member_words(expertise_in) as word
    union all
    select id, 'city', word, '' from listed, member_words(city) as word
    union all
    select id, 'location', word, '' from listed, member_words(location) as word
    union all
    select listed.id, 'project', word, ''
      from listed join shown_projects on shown_projects.user_id = listed.id,
        member_words(project_title) as word
    union all
    select listed.id, 'certificate', word, ''
      from listed join shown_certificates on shown_certificates.user_id = listed.id, member_words(certificate_title) as word
    union all
    select id, 'about', word, '' from listed, member_words(about) as word
    union all
    select listed.id, 'details', word, ''
      from listed join shown_projects on shown_projects.user_id = listed.id, 
        member_words(array_to_string(project_tech_stack, ' ') || ' ' || project_description) as word
    union all
    select id, 'online', '', '' from listed where show_presence and exists (
      select from connections where connections.user_id = listed.id and seen_at > now() - interval '45 seconds'))
  select distinct on (id, kind, key) id, kind, key, btrim(label) from named
  where key <> '' or kind in ('everyone', 'online')
$$;

create type member_term as (user_id integer, kind text, key text, label text);

create or replace function index_members(ids integer[]) returns void language plpgsql as $$
declare
  wanted_terms member_term[];
begin
  -- Who indexes a member waits for whoever is doing so: each later statement then sees what that one committed.
  perform from users where id = any(ids) order by id for no key update;

  select array_agg((user_id, kind, key, label)::member_term) into wanted_terms from member_terms(ids);

  with fresh as (
    insert into terms (kind, key, label, members)
      select distinct on (kind, key) wanted.kind, wanted.key, wanted.label, (wanted.kind in ('about', 'details'))::int
      from unnest(wanted_terms) wanted
      where not exists (select from terms where terms.kind = wanted.kind and terms.key = wanted.key)
      order by kind, key
    on conflict do nothing returning id, kind, key),
  worded as (
    insert into term_words (word, term_id)
      select distinct word, id from fresh, string_to_table(key, ' ') as word
      where kind in ('name', 'skill', 'university', 'branch', 'expertise', 'city', 'location', 'project', 'certificate')
      returning word)
  insert into word_spellings (spelling, word)
    select distinct spelling, word from worded, unnest(spellings_of(word)) as spelling order by spelling, word
  on conflict do nothing;

  delete from member_search where user_id = any(ids) and not exists (
    select from users left join profiles on profiles.user_id = users.id
    where users.id = member_search.user_id and not users.imported and coalesce(profiles.listed, true));

  with wanted as materialized (
    select user_id, array_agg(terms.id order by terms.id) as terms,
      array_agg(terms.id order by terms.id) filter (where kind in ('everyone', 'online', 'open', 'year', 'branch', 'university')) as facets
    from unnest(wanted_terms) wanted join terms using (kind, key) group by user_id),
  before as materialized (select user_id, terms from member_search where user_id = any(ids)),
  written as (
    insert into member_search (user_id, terms, facets, seen_at)
      select wanted.user_id, wanted.terms, wanted.facets, case
        when wanted.facets @> array[(select id from terms where kind = 'online')] then 'infinity'
        when coalesce(show_presence, true) then coalesce(last_seen_at, '-infinity') else '-infinity' end
      from wanted left join profiles using (user_id)
    on conflict (user_id) do update set terms = excluded.terms, facets = excluded.facets, seen_at = excluded.seen_at
      where (member_search.terms, member_search.facets, member_search.seen_at)
        is distinct from (excluded.terms, excluded.facets, excluded.seen_at)),
  changes as (
    select id, sum(change) as change
    from (select unnest(terms) as id, 1 as change from wanted union all select unnest(terms), -1 from before) as each_one
    group by id having sum(change) <> 0),
  -- In one order everywhere, so that two who save at once wait for one another and never deadlock.
  locked as (
    select id, change from terms join changes using (id) where kind not in ('about', 'details') order by id for update of terms)
  update terms set members = members + locked.change from locked where terms.id = locked.id;
end
$$;

-- Who comes and goes changes one term of their document: the others are not made anew.
create function index_presence(ids integer[]) returns void language plpgsql as $$
declare
  online integer := (select id from terms where kind = 'online');
begin
  perform from users where id = any(ids) order by id for no key update;
  with present as materialized (
    select user_id, terms @> array[online] as was, coalesce(show_presence, true) as shows, last_seen_at,
      coalesce(show_presence, true) and exists (select from connections
        where connections.user_id = member_search.user_id and connections.seen_at > now() - interval '45 seconds') as is_online
    from member_search left join profiles using (user_id) where user_id = any(ids)),
  written as (
    update member_search set
      terms = case when is_online then array(select id from unnest(array_remove(terms, online) || online) as id order by id)
        else array_remove(terms, online) end,
      facets = case when is_online then array(select id from unnest(array_remove(facets, online) || online) as id order by id)
        else array_remove(facets, online) end,
      seen_at = case when is_online then 'infinity' when shows then coalesce(last_seen_at, '-infinity') else '-infinity' end
    from present where present.user_id = member_search.user_id and (was <> is_online or seen_at is distinct from
      case when is_online then 'infinity' when shows then coalesce(last_seen_at, '-infinity') else '-infinity' end)),
  changed as (select sum(is_online::int - was::int) as change from present)
  update terms set members = members + change from changed where terms.id = online and change <> 0;
end
$$;

create or replace function index_connected() returns trigger language plpgsql as $$
begin
  perform index_presence(array(select distinct user_id from changed order by user_id));
  return null;
end
$$;

create or replace function uncount_member() returns trigger language plpgsql as $$
begin
  with locked as (select id from terms where id = any(old.terms) and kind not in ('about', 'details') order by id for update)
  update terms set members = members - 1 from locked where terms.id = locked.id;
  return null;
end
$$;

drop trigger index_member on profiles;
create constraint trigger index_member
  after insert or delete or update of open_to, university_name, enrol_in_branch_name, current_year, listed, show_presence, hidden_at,
    expertise_in, city, location, about, only_me
  on profiles deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function index_member();
create constraint trigger index_member after insert or delete or update on projects
  deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function index_member();
create constraint trigger index_member after insert or delete or update on certificates
  deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function index_member();

-- Everybody anew, a thousand at a time; the index of all of them costs less when it is made at the end.
insert into term_words (word, term_id) select distinct word, id from terms, string_to_table(key, ' ') as word where kind = 'branch';
insert into word_spellings (spelling, word)
  select distinct spelling, word from term_words, unnest(spellings_of(word)) as spelling on conflict do nothing;
do $$
declare
  first integer := 0;
  batch integer[];
begin
  loop
    select array_agg(id order by id), max(id) into batch, first
      from (select id from users where id > first and not imported order by id limit 1000) next;
    exit when batch is null;
    perform index_members(batch);
  end loop;
end
$$;
create index member_search_terms on member_search using gin (block, terms) with (fastupdate = off);
