-- Which tabs are open is known anew within seconds of a crash: what is written of it need not survive one, and no commit waits
-- for the disk. It is read by member, and as a whole: without an index on the time a renewal changes no index.
drop index connections_seen;
alter table connections set (fillfactor = 50);
alter table connections set unlogged;
