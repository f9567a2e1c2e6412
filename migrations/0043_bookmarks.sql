-- Questions and comments that a member found worth coming back to, with a note that nobody else reads.

create table bookmarks (
  id           integer generated always as identity primary key,
  user_id      integer not null references users (id) on delete cascade,
  question_id  integer not null references questions (id) on delete cascade,
  comment_id   integer references comments (id) on delete cascade,
  note         text not null default '' check (length(note) <= 500),
  created_at   timestamptz not null default now(),
  removed_at   timestamptz
);
comment on column bookmarks.comment_id is 'null of a bookmark of the question itself';
comment on column bookmarks.removed_at is 'for ten minutes its member may take this back; then the row goes';

-- One index range has everything of a member on the page of a question.
create unique index bookmarks_place on bookmarks (user_id, question_id, comment_id) nulls not distinct;
create index bookmarks_newest on bookmarks (user_id, created_at desc, id desc) where removed_at is null;
create index bookmarks_removed on bookmarks (removed_at) where removed_at is not null;
