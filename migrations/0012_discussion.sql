-- What a text said before each edit, and what a deletion leaves behind so that it can be taken back.

create table revisions (
  id            integer generated always as identity primary key,
  query_id      integer not null references queries (id) on delete cascade,
  comment_id    integer references comments (id) on delete cascade,
  editor_id     integer not null references users (id),
  by_moderator  boolean not null,
  made_at       timestamptz not null default now(),
  title         text,
  description   text,
  tags          text[],
  category      text,
  body          text,
  check ((comment_id is null) = (body is null) and (comment_id is null) = (title is not null))
);
comment on table revisions is 'the text before an edit: a query''s title, description, tags and category title, or a comment''s body';
create index revisions_query on revisions (query_id, id desc) where comment_id is null;
create index revisions_comment on revisions (comment_id, id desc) where comment_id is not null;
create index revisions_editor on revisions (editor_id);

alter table queries add column deleted_by integer references users (id);
alter table queries add column withdrawn boolean not null default false;
comment on column queries.withdrawn is 'deleted, but others answered: its address still shows what they wrote';
create index queries_deleted_by on queries (deleted_by) where deleted_by is not null;

alter table comments add column deleted_by integer references users (id);
alter table comments add column was_solution boolean not null default false;
comment on column comments.was_solution is 'whether a deleted comment was a solution, for taking the deletion back';
create index comments_deleted_by on comments (deleted_by) where deleted_by is not null;
create index comments_best on comments (query_id, score desc, id) where parent_id is null;
