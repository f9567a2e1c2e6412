-- What a repeated or a late sending is recognised by, and what each notice was told of.

-- An edit of a comment names the version that it was made from, as an edit of a query does.
alter table comments add column version integer not null default 1;

-- What a group of notices was made of: each act once, so that it is told once and can be taken back.
create table notification_acts (
  notification_id  integer not null references notifications (id) on delete cascade,
  -- null for the query itself
  comment_id       integer references comments (id) on delete cascade,
  actor_id         integer not null references users (id) on delete cascade,
  unique nulls not distinct (notification_id, comment_id)
);
create index notification_acts_comment on notification_acts (comment_id) where comment_id is not null;
create index notification_acts_actor on notification_acts (actor_id);

insert into notification_acts (notification_id, comment_id, actor_id)
  select id, comment_id, actor_ids[1] from notifications where exists (select from users where id = actor_ids[1]);
-- The address that finds a comment wherever it is to be seen by now.
update notifications set url = '/forum/comment/' || comment_id where comment_id is not null;

-- What a post was made of when its sender gave it a key: sent again, as after an answer that got lost, it makes nothing new.
create table sent_posts (
  author_id  integer not null references users (id) on delete cascade,
  key        text not null check (length(key) between 1 and 100),
  -- SHA-256 of what was sent: a key that comes with another text is refused
  digest     text not null,
  -- what the first sending made
  post_id    integer,
  url        text,
  sent_at    timestamptz not null default now(),
  primary key (author_id, key)
);

-- Pictures that only an older version of a text shows are kept as long as the version is.
alter table post_pictures
  add column revision_id integer references revisions (id) on delete cascade,
  drop constraint post_pictures_check,
  add constraint post_pictures_check check (num_nonnulls(query_id, comment_id, draft_id, revision_id) = 1);
create index post_pictures_revision on post_pictures (revision_id) where revision_id is not null;

create function note_revision_pictures() returns trigger language plpgsql as $$
begin
  insert into post_pictures (path, revision_id) select path, new.id from pictures_in(coalesce(new.description, new.body)) as path;
  return null;
end
$$;
create trigger revision_pictures_added after insert on revisions for each row
  when (coalesce(new.description, new.body) like '%/media/posts/%') execute function note_revision_pictures();

insert into post_pictures (path, revision_id)
  select path, revisions.id from revisions, pictures_in(coalesce(description, body)) as path
  where coalesce(description, body) like '%/media/posts/%';
