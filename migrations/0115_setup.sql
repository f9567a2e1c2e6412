-- What admins decided about the steps of the first-run checklist; whether a step is done is read from the site itself. docs/decisions/0098-what-staff-decide.md

create table setup_marks (
  step      text primary key,
  about     text not null default '',
  note      text not null default '',
  marked_by integer references users (id) on delete set null,
  marked_at timestamptz not null default now()
);
comment on column setup_marks.step is 'a step that stays as it is, the letter that was tried (mail), or hidden for the whole list';
comment on column setup_marks.about is 'what it was decided about: of a letter the server and the sender, so that others are tried anew';
