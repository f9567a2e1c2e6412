-- A tab belongs to the session it was opened in, and is over with it.
delete from connections;
alter table connections add column session_id integer not null references sessions (id) on delete cascade;
create index connections_session on connections (session_id);
