-- Ways into an account that other sites vouch for. docs/decisions/0077-campus-login.md

create table identities (
  id           integer generated always as identity primary key,
  user_id      integer not null references users (id) on delete cascade,
  provider     text not null,
  -- who vouches, and what they call the member: never given to another there
  issuer       text not null,
  subject      text not null,
  -- how the member is called there, such as a username of GitHub
  name         text not null default '',
  affiliation  text not null default '' check (affiliation in ('', 'student', 'staff')),
  created_at   timestamptz not null default now(),
  -- the last login by it; null before the first
  used_at      timestamptz,
  unique (issuer, subject),
  unique (user_id, provider)
);
comment on table identities is 'accounts of members at other sites, by which they log in here';

create table provider_sessions (
  session_id     integer primary key references sessions (id) on delete cascade,
  identity_id    integer not null references identities (id) on delete cascade,
  -- encrypted
  refresh_token  text not null,
  checked_at     timestamptz not null default now()
);
comment on table provider_sessions is 'sessions that began at another site, which is asked again whether its member is still there';
create index provider_sessions_identity on provider_sessions (identity_id);
