-- The life of a session, what ends it at once everywhere, and what happened to an account.

-- What concerns the safety of an account, as its member sees it; the process's log holds the same and more.
create table security_events (
  id          bigint generated always as identity primary key,
  user_id     integer not null references users (id) on delete cascade,
  kind        text not null,
  request_id  text not null default '',
  -- Coarse: "Firefox on Linux". Empty when no browser was involved.
  device      text not null default '',
  at          timestamptz not null default now()
);
create index security_events_member on security_events (user_id, id desc);
create index security_events_at on security_events (at);

-- A session lives 90 days at most, however often it is renewed. Whoever writes one, the database holds the limit.
create function limit_session_life() returns trigger language plpgsql as $$
begin
  new.expires_at := least(new.expires_at, new.created_at + interval '90 days');
  return new;
end $$;
create trigger sessions_life before insert or update of created_at, expires_at on sessions
  for each row execute function limit_session_life();
update sessions set expires_at = expires_at where expires_at > created_at + interval '90 days';

-- Whose short signed cookies are no longer to be believed. A row is written in the transaction that makes them untrue, so that
-- no code that ends a session can forget it. There is no reference to users: the sessions of a deleted one end too.
create table session_revocations (
  id       bigint generated always as identity primary key,
  user_id  integer not null,
  at       timestamptz not null default clock_timestamp()
);
create index session_revocations_at on session_revocations (at);

create function revoke_deleted_sessions() returns trigger language plpgsql as $$
begin
  insert into session_revocations (user_id) select distinct user_id from gone;
  return null;
end $$;
create trigger sessions_deleted after delete on sessions
  referencing old table as gone for each statement execute function revoke_deleted_sessions();

-- Its argument names the column that holds the member.
create function revoke_user_cookies() returns trigger language plpgsql as $$
begin
  insert into session_revocations (user_id) values ((to_jsonb(new) ->> tg_argv[0])::integer);
  return null;
end $$;
create trigger sessions_shortened after update of created_at, expires_at on sessions
  for each row when (new.expires_at < old.expires_at) execute function revoke_user_cookies('user_id');
-- What a cookie says of its member.
create trigger users_changed after update of role, username, name, image, email, email_verified on users
  for each row when ((old.role, old.username, old.name, old.image, old.email, old.email_verified)
    is distinct from (new.role, new.username, new.name, new.image, new.email, new.email_verified))
  execute function revoke_user_cookies('id');
