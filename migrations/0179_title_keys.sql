-- A title without case, accents and punctuation, as search_key writes it, by which a pasted title finds its question.
create function title_key(title text) returns text language sql immutable parallel safe as $$
  select btrim(regexp_replace(lower(public.unaccent('public.unaccent'::regdictionary, normalize(title, NFKC))), '[^[:alnum:]+#]+', ' ', 'g'))
$$;

-- Of a common word, thousands of titles would be read and compared.
create index questions_title_key on questions using hash (title_key(title));
