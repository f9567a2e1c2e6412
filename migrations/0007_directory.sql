-- Finding people. What somebody can be found by (the words of their name, their skills, branch, year, university, what
-- they are open to, being online) is a term with a number; a member is a row with the numbers of their terms. A search is
-- then the resolving of words to terms, in a small dictionary, and an intersection of sets, in one GIN index.
-- docs/decisions/0011-community-search.md says why, and what it costs.

create extension if not exists unaccent;
create extension if not exists btree_gin;

-- How texts are compared: without case, accents and punctuation. C++ and C# keep what makes them different.
create function search_key(value text) returns text language sql stable parallel safe as $$
  select btrim(regexp_replace(lower(unaccent(normalize(value, NFKC))), '[^[:alnum:]+#]+', ' ', 'g'))
$$;

-- A word and the same word with each one letter left out. Two words that share one of these differ by at most one wrong,
-- missing, additional or swapped letter (or, rarely, two): a typo is found by equality, whatever the number of words.
create function spellings_of(word text) returns text[] language sql immutable parallel safe as $$
  select case when length(word) between 4 and 40
    then array(select word union select overlay(word placing '' from place for 1) from generate_series(1, length(word)) as place)
    else array[word] end
$$;

create table terms (
  id       integer generated always as identity primary key,
  kind     text not null check (kind in ('everyone', 'online', 'open', 'year', 'branch', 'university', 'skill', 'name')),
  key      text not null,
  label    text not null,
  -- how many listed members have it; kept by index_members
  members  integer not null default 0,
  unique (kind, key)
);
create index terms_popular on terms (kind, members desc, id);
insert into terms (kind, key, label) values ('everyone', '', ''), ('online', '', '');

create table term_words (
  word     text collate "C" not null,
  term_id  integer not null references terms (id) on delete cascade,
  primary key (word, term_id)
);
create index term_words_term on term_words (term_id);

create table word_spellings (
  spelling  text collate "C" not null,
  word      text collate "C" not null,
  primary key (spelling, word)
);

-- One row a member who is listed; who is not here is in no list, search, suggestion or count.
create table member_search (
  user_id  integer primary key references users (id) on delete cascade,
  -- 16,384 members who joined one after the other: a page reads as many blocks as it needs, the newest first
  block    integer not null generated always as (user_id >> 14) stored,
  terms    integer[] not null,
  -- infinity while online, -infinity for who was never seen or hides it
  seen_at  timestamptz not null
);
-- Without a pending list: one would have to be read by each search until it is merged.
create index member_search_terms on member_search using gin (block, terms) with (fastupdate = off);
create index member_search_seen on member_search (seen_at desc, user_id desc);

-- The terms of these members, as far as they are listed.
create function member_terms(ids integer[]) returns table (user_id integer, kind text, key text, label text)
language sql stable as $$
  with listed as materialized (
    select users.id, users.name, users.username, profiles.current_year, profiles.enrol_in_branch_name,
      profiles.university_name, profiles.open_to, coalesce(profiles.show_presence, true) as show_presence
    from users left join profiles on profiles.user_id = users.id
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
      from listed join profile_skills on profile_skills.user_id = listed.id join skills on skills.id = skill_id
    union all
    select id, 'online', '', '' from listed where show_presence and exists (
      select from connections where connections.user_id = listed.id and seen_at > now() - interval '45 seconds'))
  select distinct on (id, kind, key) id, kind, key, btrim(label) from named
  where key <> '' or kind in ('everyone', 'online')
$$;

-- Brings the rows of these members, and what counts them, in line with what their owners wrote.
create function index_members(ids integer[]) returns void language plpgsql as $$
begin
  -- Who indexes a member waits for whoever is doing so: each later statement then sees what that one committed.
  perform from users where id = any(ids) order by id for no key update;

  with fresh as (
    insert into terms (kind, key, label)
      select distinct on (kind, key) wanted.kind, wanted.key, wanted.label from member_terms(ids) wanted
      where not exists (select from terms where terms.kind = wanted.kind and terms.key = wanted.key)
      order by kind, key
    on conflict do nothing returning id, kind, key),
  worded as (
    insert into term_words (word, term_id)
      select distinct word, id from fresh, string_to_table(key, ' ') as word where kind in ('name', 'skill', 'university')
      returning word)
  insert into word_spellings (spelling, word)
    select distinct spelling, word from worded, unnest(spellings_of(word)) as spelling order by spelling, word
  on conflict do nothing;

  delete from member_search where user_id = any(ids) and not exists (
    select from users left join profiles on profiles.user_id = users.id
    where users.id = member_search.user_id and not users.imported and coalesce(profiles.listed, true));

  with wanted as materialized (
    select user_id, array_agg(terms.id order by terms.id) as terms from member_terms(ids) join terms using (kind, key) group by user_id),
  before as materialized (select user_id, terms from member_search where user_id = any(ids)),
  written as (
    insert into member_search (user_id, terms, seen_at)
      select wanted.user_id, wanted.terms, case
        when wanted.terms @> array[(select id from terms where kind = 'online')] then 'infinity'
        when coalesce(show_presence, true) then coalesce(last_seen_at, '-infinity') else '-infinity' end
      from wanted left join profiles using (user_id)
    on conflict (user_id) do update set terms = excluded.terms, seen_at = excluded.seen_at
      where (member_search.terms, member_search.seen_at) is distinct from (excluded.terms, excluded.seen_at)),
  changes as (
    select id, sum(change) as change
    from (select unnest(terms) as id, 1 as change from wanted union all select unnest(terms), -1 from before) as each_one
    group by id having sum(change) <> 0),
  -- In one order everywhere, so that two who save at once wait for one another and never deadlock.
  locked as (select id, change from terms join changes using (id) order by id for update of terms)
  update terms set members = members + locked.change from locked where terms.id = locked.id;
end
$$;

create function uncount_member() returns trigger language plpgsql as $$
begin
  with locked as (select id from terms where id = any(old.terms) order by id for update)
  update terms set members = members - 1 from locked where terms.id = locked.id;
  return null;
end
$$;
create trigger uncount after delete on member_search for each row execute function uncount_member();

-- Whatever writes to a member's tables, the index follows at its commit: nobody can forget it, and all locks of the
-- counters are taken last. Bulk loads set devquad.bulk to 'on' for their transaction and call index_members themselves.
create function index_member() returns trigger language plpgsql as $$
declare
  member integer := case when tg_table_name = 'users' then to_jsonb(new) ->> 'id' else to_jsonb(coalesce(new, old)) ->> 'user_id' end;
begin
  -- All of this runs at the commit, so the first of several rows of one member has done the work of the others.
  if current_setting('devquad.indexed', true) is distinct from member::text then
    perform index_members(array[member]);
    perform set_config('devquad.indexed', member::text, true);
  end if;
  return null;
end
$$;
create constraint trigger index_member after insert or update of name, username, imported on users
  deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function index_member();
create constraint trigger index_member
  after insert or delete or update of open_to, university_name, enrol_in_branch_name, current_year, listed, show_presence
  on profiles deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function index_member();
create constraint trigger index_member after insert or delete or update on profile_skills
  deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function index_member();

-- Tabs come and go by the thousand when a process starts or ends: one call for all of a statement.
create function index_connected() returns trigger language plpgsql as $$
begin
  perform index_members(array(select distinct user_id from changed order by user_id));
  return null;
end
$$;
create trigger index_opened after insert on connections referencing new table as changed
  for each statement execute function index_connected();
create trigger index_closed after delete on connections referencing old table as changed
  for each statement execute function index_connected();

create function index_seen() returns trigger language plpgsql as $$
declare
  seen timestamptz := case when new.show_presence then coalesce(new.last_seen_at, '-infinity') else '-infinity' end;
begin
  update member_search set seen_at = seen where user_id = new.user_id and seen_at <> seen and seen_at <> 'infinity';
  return null;
end
$$;
create constraint trigger index_seen after update of last_seen_at on profiles
  deferrable initially deferred for each row when (current_setting('devquad.bulk', true) is distinct from 'on')
  execute function index_seen();

select index_members(array(select id from users where not imported order by id));
