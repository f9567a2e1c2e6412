-- Usernames of accounts that were deleted before usernames of who left were kept as hashes, or from which no account came, are to be read
-- no more. They stay taken: left_usernames refuses them. One that was claimed today may belong to an account that is being made.
-- docs/decisions/0080-leaving.md

with gone as (
  delete from usernames
  where user_id is null and claimed_at < now() - interval '1 day'
    and not exists (select from users where users.username = usernames.username)
  returning username)
insert into left_usernames (hash)
  select encode(sha256(convert_to(username, 'UTF8')), 'hex') from gone on conflict do nothing;
