-- Openings and statuses last until the end of their last day in the time zone of the site, whatever that of the database.

create function site_today() returns date language plpgsql stable as $$
begin
  return coalesce((now() at time zone (
    select nullif(texts ->> 'zone', '') from public.site_settings where section = 'region'))::date, current_date);
exception when invalid_parameter_value then
  -- A zone that the site knows and PostgreSQL does not.
  return current_date;
end
$$;

-- As before, but for the days; most profiles have none, and look up no zone.
create or replace view shown_profiles as
  select user_id, listed, show_presence, last_seen_at, hidden_at is not null as hidden,
    case when hidden_at is null then phone else '' end as phone,
    case when hidden_at is null and not 'city' = any(only_me) then city else '' end as city,
    case when hidden_at is null and not 'expertise' = any(only_me) then expertise_in else '' end as expertise_in,
    case when hidden_at is null and not 'about' = any(only_me) then about else '' end as about,
    case when hidden_at is null and (open_until is null or open_until >= site_today()) then open_to else '{}' end as open_to,
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
    case when hidden_at is null and (status_until is null or status_until >= site_today()) then status_line else '' end as status_line,
    status_until,
    case when hidden_at is null then pronouns else '' end as pronouns,
    public_sections, hidden_at is null and public_page as public_page, noindex
  from profiles;
