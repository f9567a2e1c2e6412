-- The ways into an account: registering, confirming, logging in, setting a password. Secrets stand here as SHA-256 hashes of
-- at least 192 random bits, so that whoever reads these tables, or a backup of them, gets in nowhere.

-- Where addresses are confirmed before the first login, who registers is no member yet: the account is made when the address
-- is confirmed. Registering again with the same address replaces the name and the password.
create table registrations (
  email          text primary key check (email = lower(email)),
  name           text not null,
  password_hash  text not null,
  -- the browser that registered, by the device token in its cookie
  device_hash    text not null,
  created_at     timestamptz not null default now()
);
create index registrations_created on registrations (created_at);

-- Links that confirm an address. A used one stays until it expires, so that a second click is told what happened.
create table email_links (
  token_hash  text primary key,
  email       text not null,
  -- null when the link completes a registration
  user_id     integer references users (id) on delete cascade,
  expires_at  timestamptz not null,
  used_at     timestamptz
);
create index email_links_email on email_links (email);
create index email_links_user on email_links (user_id) where user_id is not null;
create index email_links_expires on email_links (expires_at);

-- Browsers in which a member has logged in before; each holds a token in a cookie.
create table known_devices (
  token_hash  text primary key,
  user_id     integer not null references users (id) on delete cascade,
  created_at  timestamptz not null default now(),
  used_at     timestamptz not null default now()
);
create index known_devices_user on known_devices (user_id, used_at desc);

-- Attempts that were counted, by a rule and the hash of what was tried or of where it came from. How long the next one has to
-- wait follows from the count, by the rules in limits.server.ts.
create table attempts (
  key      text primary key,
  count    integer not null,
  last_at  timestamptz not null
);
create index attempts_last on attempts (last_at);

-- Mails of the last day to an address that somebody typed in, so that nobody can flood a mailbox.
create table account_mails (
  id       bigint generated always as identity primary key,
  address  text not null,
  sent_at  timestamptz not null default now()
);
create index account_mails_address on account_mails (address, sent_at);
create index account_mails_sent on account_mails (sent_at);

-- Links that the start prints while nobody is admin; they are deleted as soon as somebody is.
create table admin_claims (
  token_hash  text primary key,
  created_at  timestamptz not null default now()
);

-- Being the first to register gives nothing any more, and these counters are kept in "attempts" now.
delete from milestones where name = 'first-member';
delete from rate_limits where key ~ '^(login|register|forgot|reset|campus):';
