-- Who says that a solution no longer works, of which version of its text and why: an edit makes it a thing of the past.
create table outdated_marks (
  comment_id  integer not null references comments (id) on delete cascade,
  user_id     integer not null references users (id) on delete cascade,
  version     integer not null,
  reason      text not null check (reason in ('', 'newer', 'gone', 'error', 'unsafe')),
  said_at     timestamptz not null default now(),
  primary key (comment_id, user_id)
);
create index outdated_marks_user on outdated_marks (user_id);

-- Of which version of a solution its author and the asker were told already that it no longer works.
create table outdated_told (
  comment_id  integer primary key references comments (id) on delete cascade,
  version     integer not null
);
