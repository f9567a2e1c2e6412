-- A member may ask under a pseudonym: an account without a login that stands for them in one question and wrote everything of
-- theirs there. So whatever lists, counts, searches or names authors meets the pseudonym, without knowing of it.
-- docs/decisions/0070-pseudonyms.md

alter table users
  add column pseudonym_of        integer references users (id),
  add column pseudonym_verified  boolean,
  -- As for an imported author: nobody logs in to it, writes to it or finds it among the members.
  add constraint users_pseudonym check ((pseudonym_of is null) = (pseudonym_verified is null) and (pseudonym_of is null or imported));
comment on column users.pseudonym_of is 'the member whom this account stands for; never told to others but by an unmasking';
comment on column users.pseudonym_verified is 'whether the member was a verified student when they asked; it stays so, as a change would tell who it is';
create index users_pseudonyms on users (pseudonym_of) where pseudonym_of is not null;

-- Which moderator was told who a pseudonym is. Why stands in the log.
create table unmaskings (
  pseudonym_id  integer not null references users (id) on delete cascade,
  moderator_id  integer not null references users (id) on delete cascade,
  at            timestamptz not null default now(),
  primary key (pseudonym_id, moderator_id)
);

alter table drafts add column pseudonym boolean not null default false;

-- The time of what a pseudonym writes is stored by the hour alone, so that nothing which shows, orders or pages by it tells more:
-- to the minute it could be compared with who was online then.
create function is_pseudonym(account integer) returns boolean language sql stable as $$
  select exists (select from users where id = account and pseudonym_of is not null)
$$;
create function blur_question_times() returns trigger language plpgsql as $$
begin
  if is_pseudonym(new.author_id) then
    new.created_at := date_trunc('hour', new.created_at, 'UTC');
    new.edited_at := date_trunc('hour', new.edited_at, 'UTC');
    new.active_at := date_trunc('hour', new.active_at, 'UTC');
  end if;
  return new;
end
$$;
create trigger blur_times before insert or update of created_at, edited_at, active_at on questions
  for each row execute function blur_question_times();

create function blur_comment_times() returns trigger language plpgsql as $$
begin
  if is_pseudonym(new.author_id) then
    new.created_at := date_trunc('hour', new.created_at, 'UTC');
    new.edited_at := date_trunc('hour', new.edited_at, 'UTC');
  end if;
  -- Chosen by whoever asked.
  if new.chosen_at is not null and exists (select from questions where id = new.question_id and is_pseudonym(author_id)) then
    new.chosen_at := date_trunc('hour', new.chosen_at, 'UTC');
  end if;
  return new;
end
$$;
create trigger blur_times before insert or update of created_at, edited_at, chosen_at on comments
  for each row execute function blur_comment_times();

create function blur_revision_time() returns trigger language plpgsql as $$
begin
  if is_pseudonym(new.editor_id) then
    new.made_at := date_trunc('hour', new.made_at, 'UTC');
  end if;
  return new;
end
$$;
create trigger blur_time before insert on revisions for each row execute function blur_revision_time();

-- As what is told of it.
create function blur_notification_time() returns trigger language plpgsql as $$
begin
  if is_pseudonym(new.actor_ids[1]) then
    new.updated_at := date_trunc('hour', new.updated_at, 'UTC');
  end if;
  return new;
end
$$;
create trigger blur_time before insert or update of updated_at on notifications
  for each row execute function blur_notification_time();

-- All pseudonyms count as one person, 0: as persons of their own they would let one member vouch any number of times at full
-- weight, and as the member behind them the strength of whom they chose would tell who that is.
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
      c.created_at as at, c.id as comment_id, case when asker.pseudonym_of is null then asker.id else 0 end as asker_id, c.score,
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

