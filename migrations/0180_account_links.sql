-- Logins of a campus whose address has an account that no login of the campus opens yet. A mail to that address links them.
-- docs/decisions/0139-linked-by-mail.md

create table link_requests (
  id             integer generated always as identity primary key,
  user_id        integer not null references users (id) on delete cascade,
  -- the address that the campus vouched for
  email          text not null,
  provider       text not null,
  -- of issuer and subject: the mailed link counts in a browser that logged in with the same identity
  identity_hash  text not null,
  -- of the cookie of that browser
  browser_hash   text not null unique,
  -- what the session needs of the login; encrypted
  kept           text not null,
  -- of the mailed link; null before it is asked for
  link_hash      text unique,
  works_until    timestamptz,
  created_at     timestamptz not null default now(),
  expires_at     timestamptz not null
);
comment on table link_requests is 'logins of a campus that wait for a mail to link them to an existing account, for a day at most';
create index link_requests_user on link_requests (user_id);
