-- One profile a user, with the lists that belong to it. Empty text means "not given".

create table profiles (
  user_id               integer primary key references users (id) on delete cascade,
  phone                 text not null default '',
  city                  text not null default '',
  expertise_in          text not null default '',
  about                 text not null default '',
  open_to               text[] not null default '{}' check (open_to <@ array['mentoring', 'collaborating']),
  university_name       text not null default '',
  location              text not null default '',
  enrol_in_branch_name  text not null default '',
  year_of_passing       integer,
  current_semester      integer check (current_semester between 1 and 12),
  current_year          integer check (current_year between 1 and 8),
  enrolment_number      text not null default '',
  university_email      text not null default '',
  github                text not null default '',
  linkedin              text not null default '',
  leetcode              text not null default '',
  portfolio             text not null default '',
  hackerrank            text not null default '',
  codechef              text not null default '',
  geeksforgeek          text not null default '',
  show_email            boolean not null default false,
  show_phone            boolean not null default false,
  last_seen_at          timestamptz
);

create table skills (
  id            integer generated always as identity primary key,
  name          text not null,
  name_key      text not null unique check (name_key = lower(name_key)),
  member_count  integer not null default 0
);
create index skills_popular on skills (member_count desc, name_key);

create table profile_skills (
  user_id   integer not null references users (id) on delete cascade,
  skill_id  integer not null references skills (id),
  position  smallint not null,
  primary key (user_id, skill_id)
);
create index profile_skills_skill on profile_skills (skill_id, user_id);

create table projects (
  project_id                uuid primary key default gen_random_uuid(),
  user_id                   integer not null references users (id) on delete cascade,
  project_title             text not null,
  project_image             text not null default '',
  project_source_code_link  text not null default '',
  project_deployment_link   text not null default '',
  project_demo_link         text not null default '',
  project_tech_stack        text[] not null default '{}',
  project_date              date,
  project_description       text not null default '',
  position                  smallint not null default 0
);
create index projects_user on projects (user_id, position);

create table certificates (
  certificate_id                uuid primary key default gen_random_uuid(),
  user_id                       integer not null references users (id) on delete cascade,
  certificate_title             text not null,
  certificate_image             text not null default '',
  certificate_issue_date        date,
  certificate_expire_date       date,
  credential_verification_link  text not null default '',
  position                      smallint not null default 0
);
create index certificates_user on certificates (user_id, position);

-- One row for each open tab; a process renews its rows every 15 s, so a crash is over within 60 s.
create table connections (
  id         uuid primary key,
  user_id    integer not null references users (id) on delete cascade,
  seen_at    timestamptz not null default now()
);
create index connections_user on connections (user_id);
create index connections_seen on connections (seen_at);
