-- Members who have left the campus by its own word. docs/decisions/0131-who-has-left-the-campus.md

alter table users add column absent_since timestamptz;
comment on column users.absent_since is
  'since when the campus login says that the member has left; until the next login, access tokens and private feeds do not work';

-- Whoever logs in again, in any way that the site accepts, is back.
create function end_absence() returns trigger language plpgsql as $$
begin
  update public.users set absent_since = null where id = new.user_id and absent_since is not null;
  return null;
end
$$;
create trigger sessions_end_absence after insert on sessions for each row execute function end_absence();
