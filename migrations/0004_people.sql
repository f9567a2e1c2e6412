-- Profiles that their owners edit: versions, visibility, pictures, and the confirmed campus address.

-- A picture is stored under `path` in several widths. Whoever shows it refers to it by its path, so the database itself
-- refuses to forget a picture that something still shows.
create table pictures (
  path        text primary key check (path ~ '^(profiles|certificates|projects)/[a-z0-9_.-]+/[0-9a-f]{32}$'),
  user_id     integer not null references users (id) on delete cascade,
  kind        text not null check (kind in ('profile', 'certificate', 'project')),
  -- of the largest stored width, for the place it takes on a page
  width       integer not null check (width > 0),
  height      integer not null check (height > 0),
  -- of all its files together; counts against the member's quota
  bytes       integer not null check (bytes > 0),
  colour      text not null check (colour ~ '^#[0-9a-f]{6}$'),
  created_at  timestamptz not null default now()
);
create index pictures_user on pictures (user_id, created_at);

update users set image = null where image is not null;
alter table users add constraint users_image foreign key (image) references pictures (path);
create index users_image on users (image) where image is not null;

alter table projects alter column project_image drop default, alter column project_image drop not null;
update projects set project_image = null;
alter table projects
  add constraint projects_image foreign key (project_image) references pictures (path),
  add column version integer not null default 1,
  add column created_at timestamptz not null default now();
create index projects_image on projects (project_image) where project_image is not null;

alter table certificates alter column certificate_image drop default, alter column certificate_image drop not null;
update certificates set certificate_image = null;
alter table certificates
  add constraint certificates_image foreign key (certificate_image) references pictures (path),
  add column version integer not null default 1,
  add column created_at timestamptz not null default now();
create index certificates_image on certificates (certificate_image) where certificate_image is not null;

-- Each part that is saved by itself has a version; a save names the one it was made from.
alter table profiles
  add column personal_version integer not null default 1,
  add column academics_version integer not null default 1,
  add column social_version integer not null default 1,
  -- whether the member is in the community list and search engines may keep their page
  add column listed boolean not null default true,
  add column show_presence boolean not null default true,
  -- the university whose mail domain the confirmed university_email has; '' when it never was confirmed
  add column campus_name text not null default '',
  add column campus_verified_at timestamptz;

insert into profiles (user_id)
  select id from users where not imported and not exists (select 1 from profiles where user_id = users.id);
