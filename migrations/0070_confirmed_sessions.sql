-- When the member of a session last proved who they are. A login counts, so a new session is confirmed as it begins.
alter table sessions add column confirmed_at timestamptz;
alter table sessions alter column confirmed_at set default now();
