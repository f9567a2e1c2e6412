-- Questions that moderators pinned to the top of their category or of the forum. docs/decisions/0098-what-staff-decide.md

create table question_pins (
  question_id integer primary key references questions (id) on delete cascade,
  place       text not null check (place in ('category', 'forum')),
  until       date,
  pinned_by   integer references users (id) on delete set null,
  pinned_at   timestamptz not null default now()
);
comment on column question_pins.until is 'the last day, by the clock of the server; null until it is unpinned';
