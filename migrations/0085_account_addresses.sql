-- A member may have a second address, and a new username. The row of users says what holds now; these tables say what is taken.

-- Reached and logged in by either address; mails go to "email".
alter table users
  add column second_email text check (second_email = lower(second_email) and second_email <> email),
  -- when the member last chose another username
  add column renamed_at timestamptz;

create index users_renamed on users (id) where renamed_at is not null;

-- Every address that is somebody's, whichever of the two it is: of two members who confirm one address, this key lets one.
create table account_emails (
  email    text primary key,
  user_id  integer not null references users (id) on delete cascade
);
create index account_emails_user on account_emails (user_id);
insert into account_emails (email, user_id) select email, id from users;

create function hold_account_emails() returns trigger language plpgsql as $$
begin
  if tg_op = 'UPDATE' then
    delete from account_emails
    where user_id = new.id and email <> new.email and email is distinct from new.second_email;
  end if;
  insert into account_emails (email, user_id)
    select held, new.id from unnest(array[new.email, new.second_email]) as held
    where held is not null and not exists (select from account_emails where email = held and user_id = new.id);
  return null;
end $$;
create trigger users_emails after insert or update of email, second_email on users
  for each row execute function hold_account_emails();

-- A new address that is not confirmed yet; one for each member.
create table email_changes (
  user_id       integer primary key references users (id) on delete cascade,
  -- what it shall be: in place of the address, or beside it
  place         text not null check (place in ('email', 'second_email')),
  email         text not null,
  -- SHA-256 of the token in the mail; null until it is written
  token_hash    text unique,
  requested_at  timestamptz not null default now(),
  expires_at    timestamptz not null
);
create index email_changes_expires on email_changes (expires_at);

-- Links that give an account back the addresses that it had, by the SHA-256 of their token.
create table email_undos (
  token_hash    text primary key,
  user_id       integer not null references users (id) on delete cascade,
  email         text not null,
  second_email  text,
  expires_at    timestamptz not null
);
create index email_undos_user on email_undos (user_id);
create index email_undos_expires on email_undos (expires_at);

-- Every username that was ever anybody's. It belongs to this member for ever; null where no account came of it, or it is deleted.
alter table usernames add column user_id integer references users (id) on delete set null;
create index usernames_user on usernames (user_id);
insert into usernames (username, user_id) select username, id from users
  on conflict (username) do update set user_id = excluded.user_id;

create function hold_username() returns trigger language plpgsql as $$
begin
  insert into usernames (username, user_id) values (new.username, new.id)
    on conflict (username) do update set user_id = excluded.user_id where usernames.user_id is null;
  if not exists (select from usernames where username = new.username and user_id = new.id) then
    raise exception 'the username % is another member''s', new.username
      using errcode = 'unique_violation', constraint = 'usernames_pkey';
  end if;
  return null;
end $$;
create trigger users_username after insert or update of username on users
  for each row execute function hold_username();
