-- Profiles that moderators hide. docs/decisions/0038-suspended-hidden-blocked.md says why it is done this way.

alter table profiles
  add column hidden_at      timestamptz,
  add column hidden_reason  text not null default '',
  add column hidden_image   text references pictures (path),
  add constraint profiles_hidden check (hidden_at is not null or (hidden_reason = '' and hidden_image is null));
comment on column profiles.hidden_at is 'since when a moderator hides the texts and the picture; null: shown';
comment on column profiles.hidden_image is 'the picture of a hidden profile: users.image is null meanwhile, so that no page can show it';
create index profiles_hidden_image on profiles (hidden_image) where hidden_image is not null;

-- Profiles as others see them. What shows a profile to anybody but its owner reads this, and not the table.
create view shown_profiles as
  select user_id, listed, show_presence, last_seen_at, hidden_at is not null as hidden,
    case when hidden_at is null then phone else '' end as phone,
    case when hidden_at is null then city else '' end as city,
    case when hidden_at is null then expertise_in else '' end as expertise_in,
    case when hidden_at is null then about else '' end as about,
    case when hidden_at is null then open_to else '{}' end as open_to,
    case when hidden_at is null then university_name else '' end as university_name,
    case when hidden_at is null then location else '' end as location,
    case when hidden_at is null then enrol_in_branch_name else '' end as enrol_in_branch_name,
    case when hidden_at is null then year_of_passing end as year_of_passing,
    case when hidden_at is null then current_semester end as current_semester,
    case when hidden_at is null then current_year end as current_year,
    case when hidden_at is null then enrolment_number else '' end as enrolment_number,
    case when hidden_at is null then university_email else '' end as university_email,
    case when hidden_at is null then github else '' end as github,
    case when hidden_at is null then linkedin else '' end as linkedin,
    case when hidden_at is null then leetcode else '' end as leetcode,
    case when hidden_at is null then portfolio else '' end as portfolio,
    case when hidden_at is null then hackerrank else '' end as hackerrank,
    case when hidden_at is null then codechef else '' end as codechef,
    case when hidden_at is null then geeksforgeek else '' end as geeksforgeek,
    hidden_at is null and show_email as show_email,
    hidden_at is null and show_phone as show_phone,
    case when hidden_at is null then campus_name else '' end as campus_name,
    case when hidden_at is null then campus_verified_at end as campus_verified_at
  from profiles;

-- Skills, certificates and projects as others see them: those of a hidden profile are not there.
create view shown_skills as
  select * from profile_skills
  where not exists (select from profiles where profiles.user_id = profile_skills.user_id and hidden_at is not null);
create view shown_certificates as
  select * from certificates
  where not exists (select from profiles where profiles.user_id = certificates.user_id and hidden_at is not null);
create view shown_projects as
  select * from projects
  where not exists (select from profiles where profiles.user_id = projects.user_id and hidden_at is not null);

-- As in 0007, but of what is shown: a hidden profile is found by its names alone.
create or replace function member_terms(ids integer[]) returns table (user_id integer, kind text, key text, label text)
language sql stable as $$
  with listed as materialized (
    select users.id, users.name, users.username, profiles.current_year, profiles.enrol_in_branch_name,
      profiles.university_name, profiles.open_to, coalesce(profiles.show_presence, true) as show_presence
    from users left join shown_profiles profiles on profiles.user_id = users.id
    where users.id = any(ids) and not users.imported and coalesce(profiles.listed, true)),
  named as (
    select id, 'everyone' as kind, '' as key, '' as label from listed
    union all
    -- A number at the end of a username only tells namesakes apart: without it the dictionary stays small.
    select id, 'name', regexp_replace(word, '^([[:alpha:]]{3,})[0-9]+$', '\1'), ''
      from listed, string_to_table(search_key(name || ' ' || username), ' ') as word
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
    select id, 'online', '', '' from listed where show_presence and exists (
      select from connections where connections.user_id = listed.id and seen_at > now() - interval '45 seconds'))
  select distinct on (id, kind, key) id, kind, key, btrim(label) from named
  where key <> '' or kind in ('everyone', 'online')
$$;

drop trigger index_member on profiles;
create constraint trigger index_member
  after insert or delete or update of open_to, university_name, enrol_in_branch_name, current_year, listed, show_presence, hidden_at
  on profiles deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function index_member();

-- Whom a member blocks, the latest first.
create index blocks_latest on blocks (blocker_id, blocked_at desc);
