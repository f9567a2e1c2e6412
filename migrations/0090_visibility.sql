-- Who sees a section of a profile: its owner alone, members, or everybody. docs/decisions/0084-profiles-for-whom.md says why it is
-- done this way. With it come "About" as Markdown, an end of what somebody is open to, a status that expires, and pronouns.

alter table profiles
  add column public_sections text[] not null default '{expertise,about,skills,academics,social}'
    check (public_sections <@ array['city', 'expertise', 'about', 'skills', 'academics', 'social', 'experience', 'projects', 'certificates']),
  add column public_page boolean not null default false,
  add column noindex boolean not null default false,
  add column about_html text,
  -- What cards show and searches read.
  add column about_text text not null
    generated always as (case when about_html is null then about else public.text_of_html(about_html) end) stored,
  add column open_until date,
  add column status_line text not null default '',
  add column status_until date,
  add column pronouns text not null default '',
  drop constraint profiles_only_me_check,
  add constraint profiles_only_me_check check (only_me <@ array['city', 'expertise', 'about', 'skills', 'academics', 'social',
    'experience', 'projects', 'certificates']),
  drop constraint profiles_open_to_check;
comment on column profiles.public_sections is 'sections that visitors see, too; `only_me` goes before';
comment on column profiles.public_page is 'visitors may open the page; without it they see no more of public sections than cards show';
comment on column profiles.noindex is 'search engines are asked not to list the page';
comment on column profiles.about_html is 'what `about` was rendered to; null: a text from before it was Markdown, shown as it is';
comment on column profiles.status_until is 'the last day on which `status_line` is shown';
comment on column profiles.open_until is 'the last day on which `open_to` holds; null: no end';

-- What was called collaborating is called after whom one looks for.
select set_config('devquad.bulk', 'on', true);
update profiles set open_to = array_replace(open_to, 'collaborating', 'teammates') where 'collaborating' = any(open_to);
select set_config('devquad.bulk', 'off', true);
alter table profiles add constraint profiles_open_to_check
  check (open_to <@ array['teammates', 'tutoring', 'mentoring', 'internship', 'open source', 'just talking']);
create index profiles_open_until on profiles (open_until) where open_until is not null;
create index profiles_status_until on profiles (status_until) where status_until is not null;

create or replace view shown_profiles as
  select user_id, listed, show_presence, last_seen_at, hidden_at is not null as hidden,
    case when hidden_at is null then phone else '' end as phone,
    case when hidden_at is null and not 'city' = any(only_me) then city else '' end as city,
    case when hidden_at is null and not 'expertise' = any(only_me) then expertise_in else '' end as expertise_in,
    case when hidden_at is null and not 'about' = any(only_me) then about else '' end as about,
    case when hidden_at is null and coalesce(open_until >= current_date, true) then open_to else '{}' end as open_to,
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
    case when hidden_at is null and not 'academics' = any(only_me) then campus_verified_at end as campus_verified_at,
    case when hidden_at is null and not 'about' = any(only_me) then about_html end as about_html,
    case when hidden_at is null and not 'about' = any(only_me) then about_text else '' end as about_text,
    open_until,
    case when hidden_at is null and coalesce(status_until >= current_date, true) then status_line else '' end as status_line,
    status_until,
    case when hidden_at is null then pronouns else '' end as pronouns,
    public_sections, hidden_at is null and public_page as public_page, noindex
  from profiles;

-- Profiles as visitors see them. What cards show of a section needs that it is for everybody; all else also needs a public page.
create view public_profiles as
  select user_id, listed, show_presence, last_seen_at, hidden, '' as phone,
    case when public_page and 'city' = any(public_sections) then city else '' end as city,
    case when 'expertise' = any(public_sections) then expertise_in else '' end as expertise_in,
    case when 'about' = any(public_sections) then about else '' end as about,
    open_to,
    case when 'academics' = any(public_sections) then university_name else '' end as university_name,
    case when public_page and 'academics' = any(public_sections) then location else '' end as location,
    case when 'academics' = any(public_sections) then enrol_in_branch_name else '' end as enrol_in_branch_name,
    case when public_page and 'academics' = any(public_sections) then year_of_passing end as year_of_passing,
    case when 'academics' = any(public_sections) then current_semester end as current_semester,
    case when 'academics' = any(public_sections) then current_year end as current_year,
    '' as enrolment_number, '' as university_email,
    case when 'social' = any(public_sections) then github else '' end as github,
    case when 'social' = any(public_sections) then linkedin else '' end as linkedin,
    case when public_page and 'social' = any(public_sections) then leetcode else '' end as leetcode,
    case when public_page and 'social' = any(public_sections) then portfolio else '' end as portfolio,
    case when public_page and 'social' = any(public_sections) then hackerrank else '' end as hackerrank,
    case when public_page and 'social' = any(public_sections) then codechef else '' end as codechef,
    case when public_page and 'social' = any(public_sections) then geeksforgeek else '' end as geeksforgeek,
    false as show_email, false as show_phone,
    case when 'academics' = any(public_sections) then campus_name else '' end as campus_name,
    case when 'academics' = any(public_sections) then campus_verified_at end as campus_verified_at,
    case when 'about' = any(public_sections) then about_html end as about_html,
    case when 'about' = any(public_sections) then about_text else '' end as about_text,
    open_until,
    case when public_page then status_line else '' end as status_line,
    status_until,
    case when public_page then pronouns else '' end as pronouns,
    public_sections, public_page, noindex
  from shown_profiles;

create view public_skills as
  select * from shown_skills where not exists (select from profiles
    where profiles.user_id = shown_skills.user_id and not 'skills' = any(public_sections));
create view public_certificates as
  select * from shown_certificates where exists (select from profiles
    where profiles.user_id = shown_certificates.user_id and public_page and 'certificates' = any(public_sections));
create view public_projects as
  select * from shown_projects where exists (select from profiles
    where profiles.user_id = shown_projects.user_id and public_page and 'projects' = any(public_sections));

-- What visitors find a member by is a part of what members do. The index stays as it is: a visitor's search looks into it for
-- `terms`, and at the rows that it finds for `public_terms`.
alter table member_search add column public_terms integer[] not null default '{}';
comment on column member_search.public_terms is 'those of `terms` by which visitors find the member, too';
alter table terms add column public_members integer not null default 0;
comment on column terms.public_members is 'how many of `members` visitors know of';

drop function member_terms(integer[]);
create function member_terms(ids integer[])
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
    select id, 'about', word, '', 'about' = any(sections) from listed, member_words(about_text) as word
    union all
    select listed.id, 'details', word, '', page and 'projects' = any(sections)
      from listed join shown_projects on shown_projects.user_id = listed.id,
        member_words(array_to_string(project_tech_stack, ' ') || ' ' || project_description) as word
    union all
    select id, 'online', '', '', true from listed where show_presence and exists (
      select from connections where connections.user_id = listed.id and seen_at > now() - interval '45 seconds'))
  select distinct on (id, kind, key) id, kind, key, btrim(label), is_public from named
  where key <> '' or kind in ('everyone', 'online')
  order by id, kind, key, is_public desc
$$;

alter type member_term add attribute is_public boolean;

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

create or replace function index_presence(ids integer[]) returns void language plpgsql as $$
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
      public_terms = case when is_online then array(select id from unnest(array_remove(public_terms, online) || online) as id order by id)
        else array_remove(public_terms, online) end,
      seen_at = case when is_online then 'infinity' when shows then coalesce(last_seen_at, '-infinity') else '-infinity' end
    from present where present.user_id = member_search.user_id and (was <> is_online or seen_at is distinct from
      case when is_online then 'infinity' when shows then coalesce(last_seen_at, '-infinity') else '-infinity' end)),
  changed as (select sum(is_online::int - was::int) as change from present)
  update terms set members = members + change, public_members = public_members + change from changed
    where terms.id = online and change <> 0;
end
$$;

create or replace function uncount_member() returns trigger language plpgsql as $$
begin
  with locked as (select id from terms where id = any(old.terms) and kind not in ('about', 'details') order by id for update)
  update terms set members = members - 1, public_members = public_members - (terms.id = any(old.public_terms))::int
    from locked where terms.id = locked.id;
  return null;
end
$$;

drop trigger index_member on profiles;
create constraint trigger index_member
  after insert or delete or update of open_to, open_until, university_name, enrol_in_branch_name, current_year, listed,
    show_presence, hidden_at, expertise_in, city, location, about, about_html, only_me, public_sections, public_page
  on profiles deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function index_member();

-- No section is for members alone yet, and no page public: what visitors find is known without making the documents anew.
update member_search set public_terms = array(
  select id from unnest(terms) as id where id in (
    select terms.id from terms where kind not in ('city', 'location', 'project', 'certificate', 'details'))
  order by id);
update terms set key = 'teammates', label = 'teammates' where kind = 'open' and key = 'collaborating';
update terms set public_members = members where kind not in ('city', 'location', 'project', 'certificate');
