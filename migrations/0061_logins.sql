-- When a member last logged in, so that admins find who never did. Whether somebody is shown as online is another matter.

alter table users add column logged_in_at timestamptz;
comment on column users.logged_in_at is 'when the newest session began; null for who never logged in since this is noted';
update users set logged_in_at = began.at
  from (
    select user_id, max(at) as at from (
      select user_id, created_at as at from sessions
      union all select user_id, used_at from known_devices
      union all select user_id, last_seen_at from profiles where last_seen_at is not null) seen
    group by user_id) began
  where began.user_id = users.id and not users.imported;

create function note_login() returns trigger language plpgsql as $$
begin
  update users set logged_in_at = new.created_at where id = new.user_id;
  return null;
end $$;
create trigger note_login after insert on sessions for each row execute function note_login();
