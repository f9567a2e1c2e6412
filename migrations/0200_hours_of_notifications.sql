-- A notification of what a pseudonym did shows the hour alone, also of its first event: `created_at` is in its reader's archive.
-- docs/decisions/0070-pseudonyms.md

create or replace function blur_notification_time() returns trigger language plpgsql as $$
begin
  if is_pseudonym(new.actor_ids[1]) then
    new.created_at := date_trunc('hour', new.created_at, 'UTC');
    new.updated_at := date_trunc('hour', new.updated_at, 'UTC');
  end if;
  return new;
end
$$;

update notifications set created_at = date_trunc('hour', created_at, 'UTC')
where exists (select from users where id = any(actor_ids) and pseudonym_of is not null);
