-- A session whose token changes, as after a change of the password: cookies that were signed before are no longer to be believed.
create trigger sessions_renewed after update of token on sessions
  for each row when (new.token <> old.token) execute function revoke_user_cookies('user_id');
