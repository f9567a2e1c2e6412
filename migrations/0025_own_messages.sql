-- Conversations for a member's own programs. A token that was made before may not read them: it names neither scope.
alter table access_tokens drop constraint access_tokens_scopes_check;
alter table access_tokens add constraint access_tokens_scopes_check check (
  cardinality(scopes) > 0 and scopes <@ array['read', 'write', 'messages:read', 'messages:write', 'moderate']);

-- A search in own messages finds words whether or not they were written with their accents. Nearly every message has none.
create function without_accents(value text) returns text language sql immutable parallel safe as $$
  select case when octet_length(value) = length(value) then value
    else normalize(regexp_replace(normalize(value, NFD), '[\u0300-\u036f]', '', 'g'), NFC) end
$$;

drop index messages_search;
alter table messages drop column search;
-- Who may read it stands in the document beside its words, so that one index range holds a member's own matches only.
alter table messages add column search tsvector generated always as (case when deleted_at is null then
  array_to_tsvector(array_remove(array['@' || sender_id, '@' || recipient_id], null))
  || to_tsvector('english'::regconfig, without_accents(case when pictures is null then body else message_words(body, pictures) end)) end) stored;
create index messages_search on messages using gin (search);
-- What a member received, newest first: a search looks there before it asks the index of words.
create index messages_recipient on messages (recipient_id, id) where recipient_id is not null;

-- The words of a member's own messages, to find what was meant by a typing error: kept for members with so many that they
-- cannot be read while somebody waits. Nobody else's search sees them.
create table own_words (
  user_id  integer primary key references users (id) on delete cascade,
  words    text[] not null default '{}',
  up_to    integer not null default 0,
  made_at  timestamptz not null default now()
);
comment on column own_words.up_to is 'id of the last message whose words are in it; newer ones are read by the search itself';

drop function begun_query(text);
