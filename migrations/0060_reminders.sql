-- Who asked was reminded, once, to say what solved their query.
create table solution_reminders (
  question_id  integer primary key references questions (id) on delete cascade,
  reminded_at  timestamptz not null default now()
);
