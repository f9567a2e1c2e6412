-- A word is found beside a sign beyond ASCII, such as the full stop of Hindi, a non-breaking space or an emoji. With LC_CTYPE C, as in the built-in
-- database, PostgreSQL takes all of them for letters. [[:punct:]] has them by the locale C.UTF-8 of its provider builtin; in a database of the site's
-- own with C of libc, it has only ASCII, and nothing changes. The joiners U+200C and U+200D stay within words, as those contain them.
create or replace function search_text(value text) returns text language plpgsql immutable parallel safe as $$
declare
  result text := translate(public.unaccent('public.unaccent'::regdictionary, value), '/\<>:@', '      ');
begin
  if octet_length(result) > length(result) then
    result := regexp_replace(result, '(?![ -~])[[:punct:][:space:]\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufe0f\ufeff][\u200c\u200d]*', ' ', 'g');
  end if;
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

-- Documents of questions are made anew in batches (reindexing.queries.server.ts), as nodes of the previous version comment meanwhile.
create table reindexing (
  is_only boolean primary key default true check (is_only),
  after_id integer not null
);
comment on table reindexing is 'one row while published questions after this id may have a search document of an earlier search_text';
insert into reindexing (after_id) values (0);

-- Only the documents with letters or signs beyond ASCII.
update projects set project_title = project_title where octet_length(search::text) > length(search::text);
