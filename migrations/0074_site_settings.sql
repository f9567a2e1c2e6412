-- Settings of the site that admins change while it runs, and every change of them. docs/decisions/0076-settings-in-the-database.md

create table site_settings (
  id       integer generated always as identity primary key,
  section  text not null unique,
  -- setting → text, as its form shows it; a secret is encrypted. What is not in it has its default.
  texts    jsonb not null default '{}',
  -- grows with each save, so that a second admin notices
  version  integer not null default 1
);

create table site_setting_changes (
  id          integer generated always as identity primary key,
  section_id  integer not null references site_settings (id),
  actor_id    integer references users (id) on delete set null,
  at          timestamptz not null default now(),
  -- setting → {"old", "new"}, null for the default; of a secret both are null
  changes     jsonb not null
);
create index site_setting_changes_section on site_setting_changes (section_id, id desc);
create index site_setting_changes_actor on site_setting_changes (actor_id);

-- Features add kinds of subjects; which there are, the code says.
alter table moderation_log drop constraint moderation_log_kind_check;
