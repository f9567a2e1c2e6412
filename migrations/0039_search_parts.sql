-- Parts of joined words are found, and other spellings of them: java.lang.NullPointerException by any of its names, camelCase by its
-- words, e-mail as email, accents without them, Chinese, Japanese and Korean by any of their characters that follow each other.

-- Each document is made anew, a millisecond or two a question; indexing row by row would take longer than indexing all at the end.
drop index questions_found, questions_title;

-- A text as both documents and searches are made of it, word by word in its order, so that phrases stay phrases. What few
-- texts hold is looked for first, which costs a tenth of replacing it.
create or replace function search_text(value text) returns text language plpgsql immutable parallel safe as $$
declare
  result text := translate(public.unaccent('public.unaccent'::regdictionary, value), '/\<>:@', '      ');
begin
  if result like '%++%' then
    result := regexp_replace(result, '(?<![[:alnum:]])(c)\+\+', '\1qplusplus ', 'gi');
  end if;
  if result like '%#%' then
    result := regexp_replace(result, '(?<![[:alnum:]])([cf])#', '\1qsharp ', 'gi');
  end if;
  if result ilike '%.net%' then
    result := regexp_replace(result, '(?<![[:alnum:]])(asp)?\.(net)(?![[:alnum:]])', '\1 dotq\2 ', 'gi');
  end if;
  -- Joined by a dot are words of their own, by a hyphen one word.
  result := regexp_replace(regexp_replace(result, '([[:alnum:]])\.(?=[[:alpha:]])', '\1 ', 'g'), '([[:alpha:]])-(?=[[:alpha:]])', '\1', 'g');
  if octet_length(result) > length(result) then
    result := regexp_replace(result, '([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af])', ' \1 ', 'g');
  end if;
  return result;
end
$$;

-- The parts of the words that are written with hyphens or in camelCase.
create function search_parts(value text) returns text language sql immutable parallel safe as $$
  select coalesce(string_agg(regexp_replace(regexp_replace(replace(word[1], '-', ' '),
    '([[:lower:][:digit:]])([[:upper:]])', '\1 \2', 'g'), '([[:upper:]])([[:upper:]][[:lower:]])', '\1 \2', 'g'), ' '), '')
  from regexp_matches(public.unaccent('public.unaccent'::regdictionary, value),
    '[[:alpha:]]+(?:-[[:alpha:]]+)+|[[:alpha:]]*[[:lower:]][[:upper:]][[:alnum:]]*', 'g') as word
$$;

-- What a text can be found by. The parts come last: between its words they would part those of a phrase.
create function text_document(value text) returns tsvector language sql immutable parallel safe as $$
  select to_tsvector('english'::regconfig, public.search_text(value) || ' ' || public.search_parts(value))
$$;

create or replace function title_document(title text) returns tsvector language sql immutable parallel safe as $$
  select public.text_document(title)
$$;
create or replace function question_document(title text, tags text[], description text) returns tsvector language sql immutable parallel safe as $$
  select setweight(text_document(title), 'A') || setweight(text_document(array_to_string(tags, ' ')), 'B')
    || setweight(text_document(description), 'C')
$$;
create or replace function comment_document(body text) returns tsvector language sql immutable parallel safe as $$
  select setweight(text_document(body), 'D')
$$;

update questions set search = whole_document(questions) where status = 'published';
create index questions_found on questions using gin ((id >> 12), search, tags, category_id, author_id);
create index questions_title on questions using gin ((id >> 12), title_document(title), tags, category_id, author_id);
select refresh_similar_words();

-- Words that hold a part of a word, and those that are spelt like one with two letters wrong.
create index search_words_spelling on search_words using gin (word gin_trgm_ops);
