-- When a backup was made that an earlier run could not upload; null for one that this run made.
alter table backups add column made_at timestamptz;
