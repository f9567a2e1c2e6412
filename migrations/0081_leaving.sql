-- Members who leave: their account is deleted 14 days later, unless they come back. docs/decisions/0080-leaving.md

alter table users
  add column leaves_at timestamptz,
  add column former boolean not null default false;
comment on column users.leaves_at is 'when the account is deleted; until then its member only reads and may come back. Null for everybody else';
comment on column users.former is 'stands for members who left';

create table departures (
  user_id      integer primary key references users (id) on delete cascade,
  keeps_texts  boolean not null,
  was_listed   boolean not null,
  hid_profile  boolean not null,
  asked_at     timestamptz not null default now(),
  begun_at     timestamptz
);
comment on column departures.was_listed is 'what the profile goes back to if its member comes back, as hid_profile does';
comment on column departures.begun_at is 'since when the account is being deleted: then nobody comes back';

-- A username is never given to another, and the one of somebody who left is not to be read here either.
create table left_usernames (
  hash  text primary key
);
comment on column left_usernames.hash is 'SHA-256 of the username, in hex';

-- However an account is deleted, it is no member any more, and each of its usernames is one of those that were left. Which were its own says
-- usernames.user_id of a later migration: a deletion before that would be refused.
create function leave_usernames() returns trigger language plpgsql as $$
begin
  with gone as (delete from usernames where username = old.username or user_id = old.id returning username)
  insert into left_usernames (hash) select encode(sha256(convert_to(username, 'UTF8')), 'hex') from gone on conflict do nothing;
  if not old.imported then update counters set value = value - 1 where name = 'members'; end if;
  return old;
end $$;
create trigger leave_usernames before delete on users for each row execute function leave_usernames();

-- Who asks for it is told that it is taken.
create function refuse_left_username() returns trigger language plpgsql as $$
begin
  if exists (select from left_usernames where hash = encode(sha256(convert_to(new.username, 'UTF8')), 'hex')) then return null; end if;
  return new;
end $$;
create trigger refuse_left_username before insert on usernames for each row execute function refuse_left_username();

update users set former = true where id = 0;
