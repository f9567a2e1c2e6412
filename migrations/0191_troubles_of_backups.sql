-- In words: why older backups could not be removed; null where they were.
alter table backups add column trouble text;
