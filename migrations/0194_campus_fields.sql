-- What the university said of a member at their last login there: a field of their profile follows it as long as it has that value.

create table campus_fields (
  user_id       integer not null references users (id) on delete cascade,
  -- as the forms of a profile call it, and `cohort`
  field         text not null,
  value         text not null,
  delivered_at  timestamptz not null default now(),
  primary key (user_id, field)
);
comment on table campus_fields is 'what the login of the campus said last about a member, by field';
