-- The logo of the site: a picture that belongs to no member, and so to the account of former members, which nobody deletes.
alter table pictures
  drop constraint pictures_path_check,
  drop constraint pictures_kind_check,
  add constraint pictures_path_check check (path ~ '^(profiles|certificates|projects|posts|messages|logos)/[a-z0-9_.-]+/[0-9a-f]{32}$'),
  add constraint pictures_kind_check check (kind in ('profile', 'certificate', 'project', 'post', 'message', 'logo'));

-- Logos that the site has or had lately: the history of its settings can bring them back.
create table site_logos (
  path       text primary key references pictures (path),
  chosen_at  timestamptz not null default now()
);
