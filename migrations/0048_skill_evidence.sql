-- What a member's skills rest on: solutions, helpful answers, projects and certificates under the term of a skill.
-- docs/decisions/0063-skills-with-evidence.md says how it weighs and why.

alter table profile_skills add column evidence_hidden boolean not null default false;
comment on column profile_skills.evidence_hidden is 'its owner alone sees what the skill rests on, and nobody is ranked by it';
create or replace view shown_skills as
  select * from profile_skills where not exists (select from profiles
    where profiles.user_id = profile_skills.user_id and (hidden_at is not null or 'skills' = any(only_me)));

-- No reference to profile_skills or users: checking one takes a lock of a row that others hold while they wait for the lock of
-- refresh_evidence. The trigger on profile_skills takes the rows away.
create table skill_evidence (
  user_id   integer not null,
  skill_id  integer not null,
  source    text not null,
  kind      text not null check (kind in ('solution', 'answer', 'project', 'certificate')),
  at        timestamptz not null,
  weight    double precision not null check (weight > 0),
  primary key (user_id, skill_id, source)
);
comment on column skill_evidence.source is 'number of the comment, or the id of the project or certificate';
comment on column skill_evidence.at is 'when it was written or finished: from then on it loses half of its weight a year';

create table skill_strengths (
  user_id   integer not null,
  skill_id  integer not null,
  strength  double precision not null,
  primary key (user_id, skill_id)
);
comment on table skill_strengths is 'the sum of what others see of a skill''s evidence, as of the beginning of 2026: see evidence_scale';
create index skill_strengths_strongest on skill_strengths (skill_id, strength desc, user_id);

-- By how much more something of this time weighs than something of the beginning of 2026. All of it grows at the same pace, so a
-- sum of weights times scales stays right as time goes by, and divided by the scale of now it is the strength of now.
create function evidence_scale(at timestamptz) returns double precision language sql immutable strict parallel safe
  return power(2, extract(epoch from at - timestamptz '2026-01-01 00:00:00Z')::double precision / (365 * 86400));

-- The words of a title that may be terms: one to four that stand side by side, without the punctuation around each. In a title with
-- capitals a single word in small letters is a word of the sentence, as “react” is in “How to react”; “go” and “c” always are.
create function title_keys(title text) returns setof text language sql immutable strict parallel safe as $$
  with words as (
    select array_agg(word order by number) as list from (
      select number, regexp_replace(word, '^["''“”‘’(\[{:;,!?–—-]+|["''“”‘’)\]}:;,!?.–—-]+$', '', 'g') as word
      from regexp_split_to_table(title, '[\s/|,]+') with ordinality as split (word, number)) trimmed
    where word <> '')
  select distinct term_key(phrase) from words, generate_subscripts(list, 1) as first, generate_series(0, 3) as more,
    array_to_string(list[first:first + more], ' ') as phrase
  where not (phrase ~ '^[a-z]+$' and (length(phrase) <= 2 or title <> lower(title)))
$$;

-- What the skills of these members rest on, as their rows say it now.
create function expected_evidence(ids integer[])
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
      c.created_at as at, c.id as comment_id, asker.id as asker_id, c.score,
      greatest(0, c.score - (select coalesce(sum(value), 0) from comment_votes where comment_id = c.id)) as brought
    from comments c join questions q on q.id = c.question_id join users asker on asker.id = q.author_id
      join question_tags on question_tags.question_id = q.id join tags on tags.id = question_tags.tag_id
    where c.author_id = any(ids) and c.status = 'published' and q.status = 'published' and (c.is_solution or c.score > 0)
    union all
    select user_id, project_id::text, key, 'project', least((project_date + time '12:00') at time zone 'UTC', created_at),
      null, null, 0, 0
    from projects, unnest(term_keys(project_tech_stack)) as key where user_id = any(ids)
    union all
    select user_id, certificate_id::text, key, 'certificate',
      least((certificate_issue_date + time '12:00') at time zone 'UTC', created_at), null, null, 0, 0
    from certificates, title_keys(certificate_title) as key where user_id = any(ids)),
  found as materialized (
    select user_id, skill_id, source, kind, at, comment_id, asker_id, score, brought, max(share) as share from (
      select words.*, meant.skill_id, meant.share
        from words join term_spellings on term_spellings.key = words.key
        join meant on meant.user_id = words.user_id and meant.term_id = term_spellings.term_id
      union all
      select words.*, wanted.skill_id, 1 from words join wanted on wanted.user_id = words.user_id and wanted.term_key = words.key) named
    group by user_id, skill_id, source, kind, at, comment_id, asker_id, score, brought),
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
    select *, base * power(0.5::double precision, least(40, row_number() over (
      partition by user_id, skill_id, person order by base desc, at desc, source) - 1)) as weight
    from said)
  -- The votes of an answer weigh as much as a solution, at most.
  select user_id, skill_id, source, kind, at, (share * (coalesce(sum(weight) filter (where base = 1), 0)
    + case when score > 0 then least(1, coalesce(sum(weight) filter (where base < 1), 0) + 0.25 * brought) else 0 end))::double precision
  from bounded group by user_id, skill_id, source, kind, at, share, score, brought
$$;

create view shown_evidence as
  select e.* from skill_evidence e join shown_skills s using (user_id, skill_id)
  where not s.evidence_hidden and not exists (select from profiles where profiles.user_id = e.user_id
    and case e.kind when 'project' then 'projects' when 'certificate' then 'certificates' end = any(only_me));

-- Brings the evidence of these members in line with their rows. Who refreshes a member waits for whoever is doing so, and each later
-- statement then sees what that one committed. It is the last lock of every transaction.
-- One plan fits any members, and planning takes longer than the work for one.
create function refresh_evidence(ids integer[]) returns void language plpgsql set plan_cache_mode = force_generic_plan as $$
begin
  perform pg_advisory_xact_lock(63, id) from (select distinct unnest(ids) as id order by 1) ordered;
  with expected as materialized (select * from expected_evidence(ids)),
  gone as (
    delete from skill_evidence e where e.user_id = any(ids) and not exists (
      select from expected x where (x.user_id, x.skill_id, x.source) = (e.user_id, e.skill_id, e.source)))
  insert into skill_evidence (user_id, skill_id, source, kind, at, weight)
    -- A row that is right already is not touched: a conflict would lock and so write it.
    select * from (
      select user_id, skill_id, source, kind, at, weight from expected
      except select user_id, skill_id, source, kind, at, weight from skill_evidence e where e.user_id = any(ids)) other
  on conflict (user_id, skill_id, source) do update set kind = excluded.kind, at = excluded.at, weight = excluded.weight;
  with expected as materialized (
    select user_id, skill_id, sum(weight * evidence_scale(at) order by source) as strength
    from shown_evidence where user_id = any(ids) group by user_id, skill_id),
  gone as (
    delete from skill_strengths s where s.user_id = any(ids) and not exists (
      select from expected x where (x.user_id, x.skill_id) = (s.user_id, s.skill_id)))
  insert into skill_strengths (user_id, skill_id, strength)
    select * from (
      select user_id, skill_id, strength from expected
      except select user_id, skill_id, strength from skill_strengths s where s.user_id = any(ids)) other
  on conflict (user_id, skill_id) do update set strength = excluded.strength;
end
$$;

-- Those of these members whose evidence is not what their rows say.
create function stale_evidence(ids integer[]) returns setof integer language sql stable as $$
  select user_id from (
    (select user_id, skill_id, source, kind, at, weight from expected_evidence(ids)
      except select user_id, skill_id, source, kind, at, weight from skill_evidence where user_id = any(ids))
    union all
    (select user_id, skill_id, source, kind, at, weight from skill_evidence where user_id = any(ids)
      except select user_id, skill_id, source, kind, at, weight from expected_evidence(ids))) pieces
  union
  select user_id from (
    select user_id, skill_id, sum(weight * evidence_scale(at) order by source) as strength
    from shown_evidence where user_id = any(ids) group by user_id, skill_id) expected
  full join (select * from skill_strengths where user_id = any(ids)) kept using (user_id, skill_id)
  where expected.strength is distinct from kept.strength
$$;

-- Whatever writes what evidence rests on, it follows at the commit. The first row of a member does the work of all others.
create function keep_evidence() returns trigger language plpgsql as $$
declare
  done integer[] := coalesce(nullif(current_setting('devquad.evident', true), ''), '{}')::integer[];
  ids integer[];
begin
  if tg_table_name = 'comments' then
    ids := array[old.author_id, new.author_id];
  elsif tg_table_name = 'questions' then
    ids := array(select author_id from comments where question_id = new.id and (is_solution or score > 0));
  elsif tg_table_name = 'users' then
    -- Whoever this member chose or voted for.
    ids := array(
      select author_id from comments join comment_votes on comment_id = comments.id
        where comment_votes.user_id = new.id and value = 1
      union
      select comments.author_id from comments join questions on questions.id = question_id
        where questions.author_id = new.id and is_solution);
  else
    ids := array[old.user_id, new.user_id];
  end if;
  ids := array(select distinct id from unnest(ids) as id where id <> all(done) and (
    exists (select from profile_skills where user_id = id) or exists (select from skill_evidence where user_id = id)) order by 1);
  if cardinality(ids) > 0 then
    perform refresh_evidence(ids);
    perform set_config('devquad.evident', (done || ids)::text, true);
  end if;
  return null;
end
$$;

-- Named so that it runs after index_member of the same row: the row of a member is locked before their evidence.
create constraint trigger keep_evidence_added after insert on comments deferrable initially deferred for each row
  when (new.is_solution or new.score > 0) execute function keep_evidence();
create constraint trigger keep_evidence_changed after update of author_id, question_id, is_solution, score, status on comments
  deferrable initially deferred for each row
  when ((old.is_solution or old.score > 0 or new.is_solution or new.score > 0)
    and (old.author_id, old.question_id, old.is_solution, old.score, old.status)
    is distinct from (new.author_id, new.question_id, new.is_solution, new.score, new.status))
  execute function keep_evidence();
create constraint trigger keep_evidence_deleted after delete on comments deferrable initially deferred for each row
  when (old.is_solution or old.score > 0) execute function keep_evidence();
create constraint trigger keep_evidence after update of author_id, status, tags on questions deferrable initially deferred for each row
  when ((old.author_id, old.status, old.tags) is distinct from (new.author_id, new.status, new.tags)) execute function keep_evidence();
create constraint trigger keep_evidence after insert or delete or update of skill_id, evidence_hidden on profile_skills
  deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function keep_evidence();
create constraint trigger keep_evidence after insert or delete or update of user_id, project_tech_stack, project_date on projects
  deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function keep_evidence();
create constraint trigger keep_evidence after insert or delete or update of user_id, certificate_title, certificate_issue_date on certificates
  deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function keep_evidence();
create constraint trigger keep_evidence after update of only_me, hidden_at on profiles deferrable initially deferred for each row
  when ((old.only_me, old.hidden_at) is distinct from (new.only_me, new.hidden_at)) execute function keep_evidence();
create constraint trigger keep_evidence after update of suspended_until on users deferrable initially deferred for each row
  when (old.suspended_until is distinct from new.suspended_until) execute function keep_evidence();

-- Of a member's answers what was chosen or helped, and what was chosen in the order of a profile's list.
create index comments_evidence on comments (author_id) where is_solution or score > 0;
create index comments_author_solutions on comments (author_id, created_at desc, id desc) where is_solution;

do $$
declare
  first integer := 0;
  batch integer[];
begin
  loop
    select array_agg(user_id order by user_id), max(user_id) into batch, first
      from (select distinct user_id from profile_skills where user_id > first order by user_id limit 500) next;
    exit when batch is null;
    perform refresh_evidence(batch);
  end loop;
end
$$;
