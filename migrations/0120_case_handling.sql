-- Who of the moderators handles a case, and what they write down about it for each other.

alter table cases add column assignee_id integer references users (id) on delete set null;
comment on column cases.assignee_id is 'the moderator who handles it while it is open; null for nobody';
create index cases_assignee on cases (assignee_id, active_at desc, id desc) where closed_at is null;

create table case_notes (
  id          integer generated always as identity primary key,
  case_id     integer not null references cases (id) on delete cascade,
  author_id   integer not null default 0 references users (id) on delete set default,
  body        text not null,
  created_at  timestamptz not null default now()
);
create index case_notes_case on case_notes (case_id, id);
create index case_notes_author on case_notes (author_id);
