-- What is read, and what the site stores, by week. No row tells of anybody who read. docs/decisions/0108-what-is-read.md

create table weekly_reads (
  week   date not null,
  -- question, list, profile, community, search, home
  kind   text not null,
  reads  integer not null,
  primary key (kind, week)
);
comment on column weekly_reads.week is 'its Monday, by the clock of the site';

create table weekly_question_reads (
  week         date not null,
  question_id  integer not null references questions (id) on delete cascade,
  reads        integer not null,
  primary key (question_id, week)
);
create index weekly_question_reads_week on weekly_question_reads (week);

create table weekly_storage (
  week   date not null,
  -- database, pictures
  part   text not null,
  bytes  bigint not null,
  primary key (part, week)
);
comment on column weekly_storage.bytes is 'as it was in the last night of the week';
