-- Passkeys, and the challenges that wait to be signed by one. docs/decisions/0089-passkeys.md

create table passkeys (
  id             integer generated always as identity primary key,
  user_id        integer not null references users (id) on delete cascade,
  credential_id  text not null unique,
  public_key     bytea not null,
  counter        bigint not null default 0,
  transports     text[] not null default '{}',
  name           text not null,
  created_at     timestamptz not null default now(),
  used_at        timestamptz
);
comment on column passkeys.credential_id is 'base64url, as the authenticator made it';
comment on column passkeys.public_key is 'COSE';
comment on column passkeys.counter is 'signatures so far, as the authenticator counts them; 0 where it does not count';
create index passkeys_of on passkeys (user_id, id);

create table passkey_challenges (
  challenge_hash  text primary key,
  purpose         text not null check (purpose in ('login', 'add', 'confirm')),
  user_id         integer references users (id) on delete cascade,
  expires_at      timestamptz not null,
  check ((purpose = 'login') = (user_id is null))
);
create index passkey_challenges_of on passkey_challenges (user_id);
create index passkey_challenges_old on passkey_challenges (expires_at);
