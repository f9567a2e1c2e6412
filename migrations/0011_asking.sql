-- Asking: drafts, pictures in texts, tags suggested while they are typed, and the version that an edit was made from.

alter table queries add column version integer not null default 1;

-- What a member has typed and not sent yet, one for each form.
create table drafts (
  id           integer generated always as identity primary key,
  user_id      integer not null references users (id) on delete cascade,
  -- 'ask', or 'edit:' and the id of the query
  key          text not null check (key ~ '^(ask|edit:[1-9][0-9]{0,9})$'),
  title        text not null,
  description  text not null,
  tags         text not null,
  category     text not null,
  -- the version of the query that an edit began with; 0 for a new one
  made_from    integer not null default 0,
  -- grows with each save, so that a second tab or device notices
  version      integer not null default 1,
  updated_at   timestamptz not null default now(),
  unique (user_id, key)
);
create index drafts_age on drafts (user_id, updated_at);

alter table pictures
  drop constraint pictures_path_check,
  drop constraint pictures_kind_check,
  add constraint pictures_path_check check (path ~ '^(profiles|certificates|projects|posts)/[a-z0-9_.-]+/[0-9a-f]{32}$'),
  add constraint pictures_kind_check check (kind in ('profile', 'certificate', 'project', 'post'));

-- Which text shows which uploaded picture. Triggers keep it, whoever writes the text, and the database refuses to forget a
-- picture that stands here.
create table post_pictures (
  path        text not null references pictures (path),
  query_id    integer references queries (id) on delete cascade,
  comment_id  integer references comments (id) on delete cascade,
  draft_id    integer references drafts (id) on delete cascade,
  check (num_nonnulls(query_id, comment_id, draft_id) = 1)
);
create index post_pictures_path on post_pictures (path);
create index post_pictures_query on post_pictures (query_id) where query_id is not null;
create index post_pictures_comment on post_pictures (comment_id) where comment_id is not null;
create index post_pictures_draft on post_pictures (draft_id) where draft_id is not null;

-- The uploaded pictures that a text names, each once. They are locked in one order, so that the sweep cannot forget one
-- between this look and the reference, and two writers never wait for each other in a circle.
create function pictures_in(body text) returns setof text language sql volatile as $$
  select path from pictures
  where path in (select found[1] from regexp_matches(body, '/media/(posts/[a-z0-9_.-]+/[0-9a-f]{32})-', 'g') as found)
  order by path for key share
$$;

create function note_query_pictures() returns trigger language plpgsql as $$
begin
  delete from post_pictures where query_id = new.id;
  insert into post_pictures (path, query_id) select path, new.id from pictures_in(new.description) as path;
  return null;
end
$$;
create function note_comment_pictures() returns trigger language plpgsql as $$
begin
  delete from post_pictures where comment_id = new.id;
  insert into post_pictures (path, comment_id) select path, new.id from pictures_in(new.body) as path;
  return null;
end
$$;
create function note_draft_pictures() returns trigger language plpgsql as $$
begin
  delete from post_pictures where draft_id = new.id;
  insert into post_pictures (path, draft_id) select path, new.id from pictures_in(new.description) as path;
  return null;
end
$$;

-- A text without pictures, which most are, costs no more than the look for the word.
create trigger query_pictures_added after insert on queries for each row
  when (new.description like '%/media/posts/%') execute function note_query_pictures();
create trigger query_pictures_changed after update of description on queries for each row
  when (old.description like '%/media/posts/%' or new.description like '%/media/posts/%') execute function note_query_pictures();
create trigger comment_pictures_added after insert on comments for each row
  when (new.body like '%/media/posts/%') execute function note_comment_pictures();
create trigger comment_pictures_changed after update of body on comments for each row
  when (old.body like '%/media/posts/%' or new.body like '%/media/posts/%') execute function note_comment_pictures();
create trigger draft_pictures_added after insert on drafts for each row
  when (new.description like '%/media/posts/%') execute function note_draft_pictures();
create trigger draft_pictures_changed after update of description on drafts for each row
  when (old.description like '%/media/posts/%' or new.description like '%/media/posts/%') execute function note_draft_pictures();

-- Tags by how they begin.
create index tags_beginning on tags (name text_pattern_ops);
