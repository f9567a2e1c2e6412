-- Codes of an authenticator app (RFC 6238) as a second factor, and recovery codes for a lost phone.

-- Whether a login takes a code besides the password; kept by the trigger below, so that no way in can forget to look.
alter table users add column second_factor boolean not null default false;

create table totp_secrets (
  user_id       integer primary key references users (id) on delete cascade,
  -- Encrypted.
  secret        text not null,
  -- Until a first code was typed nothing is asked for at the login.
  confirmed_at  timestamptz,
  -- The last time step whose code was used: no code counts twice.
  last_step     bigint not null default 0,
  created_at    timestamptz not null default now()
);

create table recovery_codes (
  id         bigint generated always as identity primary key,
  user_id    integer not null references users (id) on delete cascade,
  -- The first letters of a code, by which its hash is found.
  hint       text not null,
  -- Argon2id.
  code_hash  text not null,
  used_at    timestamptz,
  unique (user_id, hint)
);

-- Who has given the right password and still has to give a code.
create table login_challenges (
  token_hash  text primary key,
  user_id     integer not null references users (id) on delete cascade,
  expires_at  timestamptz not null
);
create index login_challenges_user on login_challenges (user_id);
create index login_challenges_expiry on login_challenges (expires_at);

create function keep_second_factor() returns trigger language plpgsql as $$
declare
  member integer := coalesce(new.user_id, old.user_id);
begin
  update users set second_factor = exists (select from totp_secrets where user_id = member and confirmed_at is not null)
    where id = member;
  return null;
end $$;
create trigger totp_secrets_changed after insert or delete or update of confirmed_at on totp_secrets
  for each row execute function keep_second_factor();

-- What a cookie says of its member, this column included.
drop trigger users_changed on users;
create trigger users_changed after update of role, username, name, image, email, email_verified, second_factor on users
  for each row when ((old.role, old.username, old.name, old.image, old.email, old.email_verified, old.second_factor)
    is distinct from (new.role, new.username, new.name, new.image, new.email, new.email_verified, new.second_factor))
  execute function revoke_user_cookies('id');
