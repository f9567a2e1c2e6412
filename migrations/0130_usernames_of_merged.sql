-- The usernames of an account that becomes part of another one lead to that one, which has them by then: only those are hashed and freed of
-- their row that are still the account's own, or nobody's.
create or replace function leave_usernames() returns trigger language plpgsql as $$
begin
  with gone as (
    delete from usernames where user_id = old.id or (username = old.username and user_id is null) returning username)
  insert into left_usernames (hash) select encode(sha256(convert_to(username, 'UTF8')), 'hex') from gone on conflict do nothing;
  if not old.imported then update counters set value = value - 1 where name = 'members'; end if;
  return old;
end $$;
