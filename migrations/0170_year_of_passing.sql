-- A member is found by the year of passing, too, as their profile shows it: “react 2028”, “cse '28”. It is a whole value of a document, and no
-- filter. docs/decisions/0058-people-by-documents.md

alter table terms drop constraint terms_kind_check;
alter table terms add constraint terms_kind_check check (kind in ('everyone', 'online', 'open', 'year', 'passing', 'branch', 'university',
  'skill', 'name', 'expertise', 'city', 'location', 'project', 'certificate', 'experience', 'about', 'details'));

create or replace function member_terms(ids integer[])
returns table (user_id integer, kind text, key text, label text, is_public boolean)
language sql stable as $$
  with listed as materialized (
    select users.id, users.name, users.username, shown.current_year, shown.year_of_passing, shown.enrol_in_branch_name,
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
    select id, 'passing', year_of_passing::text, year_of_passing::text, page and 'academics' = any(sections) from listed
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

drop trigger index_member on profiles;
create constraint trigger index_member
  after insert or delete or update of open_to, open_until, university_name, enrol_in_branch_name, current_year, year_of_passing, listed,
    show_presence, hidden_at, expertise_in, city, location, about, about_html, only_me, public_sections, public_page
  on profiles deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function index_member();

-- Those who have said it anew, a thousand at a time.
do $$
declare
  first integer := 0;
  batch integer[];
begin
  loop
    select array_agg(user_id order by user_id), max(user_id) into batch, first
      from (select user_id from profiles where user_id > first and year_of_passing is not null order by user_id limit 1000) next;
    exit when batch is null;
    perform index_members(batch);
  end loop;
end
$$;
