-- A word keeps its marks in the scripts of India and Southeast Asia. [[:alnum:]] lacks some of them, such as the virama: “प्रिया” was indexed as two
-- words and looked up as one, so that nobody was found by such a name.
create or replace function search_key(value text) returns text language sql stable parallel safe as $$
  select btrim(regexp_replace(lower(unaccent(normalize(value, NFKC))),
    '[^[:alnum:]+#\u0900-\u0963\u0966-\u096f\u0971-\u0e3e\u0e40-\u0e4e\u0e80-\u0eff\u1000-\u1049\u1050-\u109d\u1780-\u17d3]+', ' ', 'g'))
$$;

-- The documents with letters of these scripts, a thousand at a time.
do $$
declare
  affected integer[] := array(select id from terms where key ~ '[\u0900-\u0eff\u1000-\u109f\u1780-\u17ff]');
  first integer := 0;
  batch integer[];
begin
  loop
    select array_agg(user_id order by user_id), max(user_id) into batch, first
      from (select user_id from member_search where user_id > first and terms && affected order by user_id limit 1000) next;
    exit when batch is null;
    perform index_members(batch);
  end loop;
end
$$;
