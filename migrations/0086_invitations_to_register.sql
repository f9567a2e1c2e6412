-- Invitations to register: links with a number of uses, and lists of addresses that are each mailed one of their own.

create table invites (
  id          integer generated always as identity primary key,
  -- SHA-256 of the token in the link
  token_hash  text not null unique,
  -- stored with whoever comes by it, such as "CSE 2027"; may be empty
  cohort      text not null default '',
  max_uses    integer not null check (max_uses between 1 and 10000),
  expires_at  timestamptz not null,
  created_by  integer references users (id) on delete set null,
  created_at  timestamptz not null default now(),
  revoked_at  timestamptz
);
create index invites_newest on invites (id desc);
create index invites_by on invites (created_by) where created_by is not null;

-- A list of addresses. It is looked at before anything is mailed, and mailed by a job that may be stopped.
create table invite_lists (
  id          integer generated always as identity primary key,
  cohort      text not null default '',
  state       text not null default 'draft' check (state in ('draft', 'sending', 'stopped', 'done')),
  -- what of the file was left out, as the page before the mails shows it
  report      jsonb not null default '{}',
  expires_at  timestamptz not null,
  created_by  integer references users (id) on delete set null,
  created_at  timestamptz not null default now()
);
create index invite_lists_by on invite_lists (created_by) where created_by is not null;

create table invited_addresses (
  id          bigint generated always as identity primary key,
  list_id     integer not null references invite_lists (id) on delete cascade,
  email       text not null check (email = lower(email)),
  -- SHA-256 of the token in the mail; null until it is written
  token_hash  text unique,
  mailed_at   timestamptz,
  unique (list_id, email)
);
create index invited_addresses_waiting on invited_addresses (list_id, id) where mailed_at is null;

-- What an invitation says of whoever came by it.
alter table users
  add column cohort text not null default '',
  add column invite_id integer references invites (id) on delete set null,
  add column invited_address_id bigint references invited_addresses (id) on delete set null;
create index users_cohort on users (cohort) where cohort <> '';
create index users_invite on users (invite_id) where invite_id is not null;
create unique index users_invited_address on users (invited_address_id) where invited_address_id is not null;

-- Whoever registers by a link and has not confirmed the address yet holds one of its uses.
alter table registrations add column invite_id integer references invites (id) on delete cascade;
create index registrations_invite on registrations (invite_id) where invite_id is not null;
