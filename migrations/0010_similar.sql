-- Similar questions: how common each word is in the forum, and which query saved somebody from asking again.

create table similar_words (
  word       text primary key,
  documents  integer not null
);
comment on table similar_words is 'in how many of the sampled queries a word of queries.search stands; refresh_similar_words() keeps it';
create extension if not exists pg_trgm;
create index similar_words_spelling on similar_words using gin (word gin_trgm_ops);

create table similar_totals (
  only_row     boolean primary key default true check (only_row),
  documents    integer not null default 0,
  words        real not null default 1,
  title_words  real not null default 1
);
comment on table similar_totals is 'how many queries were sampled, and how many different words they and their titles have on average';
insert into similar_totals default values;

-- Counts the words of the newest 20,000 queries: about a second of work at any size of the forum. In a large sample a word
-- that stands once is not kept; whoever looks a word up takes a missing one for as rare. One process at a time is enough.
create function refresh_similar_words() returns void language plpgsql as $$
declare
  sampled integer;
begin
  if not pg_try_advisory_xact_lock(hashtext('refresh_similar_words')) then
    return;
  end if;
  create temporary table sample on commit drop as
    select search from queries where deleted_at is null order by id desc limit 20000;
  select count(*) into sampled from sample;
  create temporary table counted on commit drop as
    select word, ndoc from ts_stat('select search from sample')
    where length(word) <= 60 and (ndoc > 1 or sampled <= 2000);
  delete from similar_words where not exists (select 1 from counted where counted.word = similar_words.word);
  insert into similar_words (word, documents) select word, ndoc from counted
    on conflict (word) do update set documents = excluded.documents where similar_words.documents <> excluded.documents;
  update similar_totals set (documents, words, title_words) =
    (select sampled, coalesce(greatest(1, avg(length(search))), 1), coalesce(greatest(1, avg(length(ts_filter(search, '{a}')))), 1) from sample);
  -- Called twice in one transaction, as tests may.
  drop table sample, counted;
end
$$;
select refresh_similar_words();

create table similar_helped (
  id        integer generated always as identity primary key,
  query_id  integer not null references queries (id) on delete cascade,
  user_id   integer references users (id) on delete set null,
  at        timestamptz not null default now(),
  unique (query_id, user_id)
);
comment on table similar_helped is 'somebody was about to ask and this query had the answer; user_id is null for a visitor';
create index similar_helped_user on similar_helped (user_id);
