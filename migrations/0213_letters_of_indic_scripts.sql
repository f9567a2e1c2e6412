-- A word keeps its marks in the scripts of India and Southeast Asia. [[:alnum:]] lacks some of them, such as the virama: “प्रिया” was indexed as two
-- words and looked up as one, so that nobody was found by such a name. The ranges between the signs of these scripts, such as the rupee in “৳500”.
create or replace function search_key(value text) returns text language sql stable parallel safe as $$
  select btrim(regexp_replace(lower(unaccent(normalize(value, NFKC))),
    '[^[:alnum:]+#\u0900-\u0963\u0966-\u096f\u0971-\u09f1\u09fe-\u0a75\u0a81-\u0aef\u0afa-\u0b6f\u0b82-\u0bf2\u0c00-\u0c76\u0c80-\u0c83\u0c85-\u0d4e'
    '\u0d54-\u0d78\u0d7a-\u0df3\u0e01-\u0e3a\u0e40-\u0e4e\u0e80-\u0eff\u0f71-\u0f84\u1000-\u1049\u1050-\u109d\u1780-\u17d3\u17dd\uabe3-\uabea\uabec\uabed]+',
    ' ', 'g'))
$$;

-- The documents with such letters are made anew by the nightly comparison of all documents, in batches; it runs at the next start, as after a
-- night that was missed.
do $$
begin
  if to_regclass('graphile_worker._private_known_crontabs') is not null then
    update graphile_worker._private_known_crontabs set last_execution = null where identifier = 'check-member-documents';
  end if;
end
$$;
