-- The parts of the words that are written with hyphens or in camelCase, as before. Now in PL/pgSQL: PostgreSQL parsed the SQL function for each
-- statement that writes a question, only to find that it cannot be inlined. Most texts have no such words, which one look tells.
create or replace function search_parts(value text) returns text language plpgsql immutable parallel safe as $$
declare
  plain text := public.unaccent('public.unaccent'::regdictionary, value);
begin
  if plain !~ '[[:alpha:]]-[[:alpha:]]|[[:lower:]][[:upper:]]' then
    return '';
  end if;
  return (
    select coalesce(string_agg(regexp_replace(regexp_replace(replace(word[1], '-', ' '),
      '([[:lower:][:digit:]])([[:upper:]])', '\1 \2', 'g'), '([[:upper:]])([[:upper:]][[:lower:]])', '\1 \2', 'g'), ' '), '')
    from regexp_matches(plain, '[[:alpha:]]+(?:-[[:alpha:]]+)+|[[:alpha:]]*[[:lower:]][[:upper:]][[:alnum:]]*', 'g') as word);
end
$$;
