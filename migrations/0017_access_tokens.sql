-- Personal access tokens: what a member's own programs show in place of a password.

create table access_tokens (
  id            integer generated always as identity primary key,
  user_id       integer not null references users (id) on delete cascade,
  name          text not null check (length(name) between 1 and 60),
  -- SHA-256 of the token: whoever reads this table, or a backup of it, can use none. It is 256 bits of chance, so no salt.
  token_hash    text not null unique,
  last_four     text not null check (length(last_four) = 4),
  scopes        text[] not null check (cardinality(scopes) > 0 and scopes <@ array['read', 'write', 'moderate']),
  created_at    timestamptz not null default now(),
  expires_at    timestamptz not null,
  last_used_at  timestamptz
);
create index access_tokens_user on access_tokens (user_id, id);
