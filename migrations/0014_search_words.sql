-- "Did you mean": the words of titles and the names of tags that were ever used, each found by a spelling that differs by
-- a typo (spellings_of in 0007). No counts: whoever offers a word first looks whether it finds something now. Nothing is
-- therefore written again when a text changes or goes, and a query of words that are known writes nothing here.

create table search_words (
  word  text collate "C" primary key,
  tag   boolean not null default false
);
create table search_spellings (
  spelling  text collate "C" not null,
  word      text collate "C" not null,
  primary key (spelling, word)
);

-- Words in which a typo can be told from another word.
create function title_words(title text) returns setof text language sql stable parallel safe as $$
  select distinct word from string_to_table(search_key(title), ' ') as word
  where length(word) between 4 and 40 and word !~ '[0-9]'
$$;

create function learn_words(title text, tags text[]) returns void language plpgsql as $$
declare
  fresh text[] := array(
    select word.word from title_words(title) as word (word) where not exists (select from search_words known where known.word = word.word)
    union select name from unnest(tags) as name where not exists (select from search_words known where known.word = name and known.tag)
    order by 1);
begin
  if cardinality(fresh) = 0 then return; end if;
  -- Who brings new words waits for whoever is doing so: rows of many queries in one transaction could otherwise be locked in a circle.
  perform pg_advisory_xact_lock(hashtext('search_words'));
  insert into search_words (word, tag) select word, word = any(tags) from unnest(fresh) as word
    on conflict (word) do update set tag = true where excluded.tag and not search_words.tag;
  insert into search_spellings (spelling, word)
    select distinct spelling, word from unnest(fresh) as word, unnest(spellings_of(word)) as spelling on conflict do nothing;
end
$$;

create function learn_query() returns trigger language plpgsql as $$
begin
  perform learn_words(new.title, new.tags);
  return null;
end
$$;
create trigger learn_query after insert or update of title, tags on queries for each row
  when (new.deleted_at is null) execute function learn_query();

do $$ begin perform learn_words(title, tags) from queries where deleted_at is null; end $$;
