-- A post that a moderator refused and then let back is as new as one that is approved at once: its readers were never notified.

alter table questions add column never_published boolean not null default false;
alter table comments add column never_published boolean not null default false;

-- A pending text that was published before carries the date of its edit. Of what was refused before today nobody can tell.
update questions set never_published = true where status = 'pending' and edited_at is null;
update comments set never_published = true where status = 'pending' and edited_at is null;
