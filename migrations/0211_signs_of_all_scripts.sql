-- A word is found beside a sign beyond ASCII, such as the full stop of Hindi, a non-breaking space or an emoji. Where a database has the locale C,
-- as the built-in one does, PostgreSQL takes all of them for letters. The joiners U+200C and U+200D stay, as words contain them.
create or replace function search_text(value text) returns text language plpgsql immutable parallel safe as $$
declare
  result text := translate(public.unaccent('public.unaccent'::regdictionary, value), '/\<>:@', '      ');
begin
  if octet_length(result) > length(result) then
    result := regexp_replace(result, '(?![ -~])[[:punct:][:space:]\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufe0f\ufeff]', ' ', 'g');
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

-- Only the documents with such a word.
update questions set search = whole_document(questions)
where status = 'published' and search::text ~ '(?![ -~])[[:punct:][:space:]\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufe0f\ufeff]';
update projects set project_title = project_title
where search::text ~ '(?![ -~])[[:punct:][:space:]\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufe0f\ufeff]';
