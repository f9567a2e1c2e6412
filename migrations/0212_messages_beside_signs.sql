-- A search in own messages finds words beside signs beyond ASCII, too, as that of the forum since migration 211. `messages.search` is generated
-- with this function: the table is neither locked nor rewritten when it is replaced, and from then on nodes of the previous version write the
-- same documents. A sign becomes one space, so that what matches has the same place as in the original (passageOf).
create or replace function without_accents(value text) returns text language sql immutable parallel safe as $$
  select case when octet_length(value) = length(value) then value
    else regexp_replace(normalize(regexp_replace(normalize(value, NFD), '[\u0300-\u036f]', '', 'g'), NFC),
      '(?![ -~])[[:punct:][:space:]\u00ad\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufe0f\ufeff]', ' ', 'g') end
$$;
comment on function without_accents(text) is 'also with a space for each sign beyond ASCII';

-- Documents of earlier messages are made anew in batches (inbox/search/reindexing.queries.server.ts).
create table reindexing_messages (
  is_only boolean primary key default true check (is_only),
  after_id integer not null
);
comment on table reindexing_messages is 'one row while messages after this id may have a search document of an earlier without_accents';
insert into reindexing_messages (after_id) values (0);
