-- How a site is used, by week. A job counts it every night; no row tells of anybody. docs/decisions/0073-administration.md

create table weekly_members (
  week    date primary key,
  joined  integer not null,
  -- who was logged in or wrote
  active  integer not null
);
comment on column weekly_members.week is 'its Monday, in UTC';

create table weekly_questions (
  week            date not null,
  -- 0 for all categories together
  category_id     integer not null,
  questions       integer not null,
  answered        integer not null,
  median_minutes  integer,
  primary key (category_id, week)
);
comment on column weekly_questions.answered is 'somebody else answered within 7 days';
