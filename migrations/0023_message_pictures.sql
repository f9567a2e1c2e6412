-- Pictures in messages: for the two members of the conversation, and for moderators where they were reported.

alter table pictures
  drop constraint pictures_path_check,
  drop constraint pictures_kind_check,
  add constraint pictures_path_check check (path ~ '^(profiles|certificates|projects|posts|messages)/[a-z0-9_.-]+/[0-9a-f]{32}$'),
  add constraint pictures_kind_check check (kind in ('profile', 'certificate', 'project', 'post', 'message'));

-- What a message says in words: its text, then what its pictures show.
create function message_words(body text, pictures jsonb) returns text language sql immutable parallel safe as $$
  select concat_ws(E'\n', nullif(body, ''), (
    select string_agg(nullif(picture ->> 'alt', ''), E'\n') from jsonb_array_elements(pictures) as picture))
$$;

drop index messages_search;
alter table messages
  drop column search,
  add column pictures jsonb,
  add constraint messages_pictures_check check (pictures is null or (deleted_at is null and jsonb_array_length(pictures) between 1 and 4));
alter table messages
  add column search tsvector generated always as (case when deleted_at is null then
    array_to_tsvector(array_remove(array['@' || sender_id, '@' || recipient_id], null))
    || to_tsvector('english'::regconfig, case when pictures is null then body else message_words(body, pictures) end) end) stored;
comment on column messages.pictures is '[{path, width, height, alt}], as they are shown; null for none';
create index messages_search on messages using gin (search);
create index messages_pictured on messages (sender_id, sent_at) where pictures is not null;

-- Which message shows which picture: who may read a file is asked here, and the database refuses to forget a picture that
-- stands here. A trigger keeps it. The reference is checked at the end, because an account that goes takes both with it.
create table message_pictures (
  path        text not null references pictures (path) deferrable initially deferred,
  message_id  integer not null references messages (id) on delete cascade,
  primary key (path, message_id)
);
create index message_pictures_message on message_pictures (message_id);

create function note_message_pictures() returns trigger language plpgsql as $$
begin
  delete from message_pictures where message_id = new.id;
  insert into message_pictures (path, message_id)
    select distinct picture ->> 'path', new.id from jsonb_array_elements(new.pictures) as picture;
  return null;
end
$$;
create trigger message_pictures_added after insert on messages for each row
  when (new.pictures is not null) execute function note_message_pictures();
create trigger message_pictures_changed after update of pictures on messages for each row
  when (old.pictures is distinct from new.pictures) execute function note_message_pictures();

-- A reported picture outlives the message, as the copy of its words does.
create table reported_pictures (
  path        text not null references pictures (path) on delete cascade,
  report_id   integer not null references reports (id) on delete cascade,
  primary key (path, report_id)
);
create index reported_pictures_report on reported_pictures (report_id);
