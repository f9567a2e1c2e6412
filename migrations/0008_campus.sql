-- Links that confirm a university address, and what keeps one address to one account.

create table campus_links (
  -- SHA-256 of the token in the mail: whoever reads this table, or a backup of it, can confirm nothing.
  token_hash  text primary key,
  user_id     integer not null references users (id) on delete cascade,
  email       text not null,
  expires_at  timestamptz not null
);
create index campus_links_user on campus_links (user_id);
create index campus_links_expired on campus_links (expires_at);

alter table profiles add column campus_reminded_at timestamptz;

-- `mira+2@…` reaches the same person as `mira@…`.
create unique index profiles_campus_address on profiles (regexp_replace(university_email, '\+[^@]*@', '@'))
  where campus_verified_at is not null;
create index profiles_campus_verified on profiles (campus_verified_at) where campus_verified_at is not null;
