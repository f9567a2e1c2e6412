-- What an asker who leaves said by accepting solutions keeps its weight. All who left share one account, which counted as one person.
alter table comments add column left_weight double precision;
comment on column comments.left_weight is 'of a solution whose asker has left: 1, or less where the same asker had accepted others of its author; 0 where they asked under a pseudonym, as such solutions keep counting together; null for others';

create or replace function expected_evidence(ids integer[])
  returns table (user_id integer, skill_id integer, source text, kind text, at timestamptz, weight double precision)
  language sql stable as $$
  with wanted as materialized (
    select s.user_id, s.skill_id, skills.term_key, spelling.term_id
    from profile_skills s join skills on skills.id = s.skill_id left join term_spellings spelling on spelling.key = skills.term_key
    where s.user_id = any(ids)),
  -- What is part of the skill's term shows half as much of it.
  meant as materialized (
    select user_id, skill_id, term_id, 1.0::double precision as share from wanted where term_id is not null
    union all
    select user_id, skill_id, term_parents.term_id, 0.5 from wanted join term_parents on term_parents.parent_id = wanted.term_id),
  -- Everything that may name a skill, by each word of it. A score that an import brought is nobody's vote here.
  words as (
    select c.author_id as user_id, c.id::text as source, tags.term_key as key,
      case when c.is_solution and asker.id <> c.author_id and coalesce(asker.suspended_until <= now(), true)
        then 'solution' else 'answer' end as kind,
      c.created_at as at, c.id as comment_id,
      case when asker.pseudonym_of is not null or c.left_weight = 0 then 0 when c.left_weight > 0 then -c.id else asker.id end as asker_id,
      coalesce(nullif(c.left_weight, 0), 1) as worth, c.score,
      greatest(0, c.score - (select coalesce(sum(value), 0) from comment_votes where comment_id = c.id)) as brought
    from comments c join questions q on q.id = c.question_id join users asker on asker.id = q.author_id
      join question_tags on question_tags.question_id = q.id join tags on tags.id = question_tags.tag_id
    where c.author_id = any(ids) and c.status = 'published' and q.status = 'published' and (c.is_solution or c.score > 0)
    union all
    select user_id, project_id::text, key, 'project', least((project_date + time '12:00') at time zone 'UTC', created_at),
      null, null, 1, 0, 0
    from projects, unnest(term_keys(project_tech_stack)) as key where user_id = any(ids)
    union all
    select user_id, certificate_id::text, key, 'certificate',
      least((certificate_issue_date + time '12:00') at time zone 'UTC', created_at), null, null, 1, 0, 0
    from certificates, title_keys(certificate_title) as key where user_id = any(ids)),
  found as materialized (
    select user_id, skill_id, source, kind, at, comment_id, asker_id, worth, score, brought, max(share) as share from (
      select words.*, meant.skill_id, meant.share
        from words join term_spellings on term_spellings.key = words.key
        join meant on meant.user_id = words.user_id and meant.term_id = term_spellings.term_id
      union all
      select words.*, wanted.skill_id, 1 from words join wanted on wanted.user_id = words.user_id and wanted.term_key = words.key) named
    group by user_id, skill_id, source, kind, at, comment_id, asker_id, worth, score, brought),
  -- Who says that there is knowledge, and how much that is: the asker by choosing, others by their votes, the member by what they list.
  said as (
    select found.*, asker_id as person, 1::double precision as base from found where kind = 'solution'
    union all
    select found.*, voter.id, 0.25 from found join comment_votes votes on votes.comment_id = found.comment_id and votes.value = 1
      join users voter on voter.id = votes.user_id and coalesce(voter.suspended_until <= now(), true)
    where score > 0
    union all
    select found.*, user_id, 1 from found where kind in ('project', 'certificate')
    union all
    select found.*, null, 0 from found where brought > 0),
  -- What the same person says a second time weighs half, a third time a quarter: less than twice as much as once, however often.
  bounded as (
    select *, base * case when kind = 'solution' and base = 1 then worth else 1 end * power(0.5::double precision, least(40, row_number() over (
      partition by user_id, skill_id, person order by base desc, at desc, source) - 1)) as weight
    from said)
  -- The votes of an answer weigh as much as a solution, at most.
  select user_id, skill_id, source, kind, at, (share * (coalesce(sum(weight) filter (where base = 1), 0)
    + case when score > 0 then least(1, coalesce(sum(weight) filter (where base < 1), 0) + 0.25 * brought) else 0 end))::double precision
  from bounded group by user_id, skill_id, source, kind, at, share, score, brought
$$;
