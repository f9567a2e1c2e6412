-- What a login at another site gave is kept over the second step, so that its session is asked about there, too.

alter table login_challenges add column kept text;
comment on column login_challenges.kept is 'what the way in keeps for the session, encrypted; null for a password';
