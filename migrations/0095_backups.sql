-- Every try of a scheduled backup: where it went, how large it was, or why there is none.
create table backups (
	id integer generated always as identity primary key,
	started_at timestamptz not null default now(),
	-- Null while it is being made.
	ended_at timestamptz,
	-- A path, or bucket and name; null until it stands.
	file text,
	bytes bigint,
	-- In words; null for one that stands.
	error text,
	check (ended_at is null or (file is null) = (error is not null))
);
-- One at a time, whichever process begins it.
create unique index backups_running on backups ((true)) where ended_at is null;
create index backups_newest on backups (started_at desc);
