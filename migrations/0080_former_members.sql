-- Whoever leaves can be deleted: what stays of theirs belongs to the account “Former member”, id 0, to which nobody logs in.
-- docs/decisions/0080-leaving.md

alter table questions
  alter column author_id set default 0,
  drop constraint questions_author_id_fkey,
  add constraint questions_author_id_fkey foreign key (author_id) references users (id) on delete set default,
  drop constraint questions_status_by_fkey,
  add constraint questions_status_by_fkey foreign key (status_by) references users (id) on delete set null;
alter table comments
  alter column author_id set default 0,
  drop constraint comments_author_id_fkey,
  add constraint comments_author_id_fkey foreign key (author_id) references users (id) on delete set default,
  drop constraint comments_status_by_fkey,
  add constraint comments_status_by_fkey foreign key (status_by) references users (id) on delete set null;
alter table revisions
  alter column editor_id set default 0,
  drop constraint revisions_editor_id_fkey,
  add constraint revisions_editor_id_fkey foreign key (editor_id) references users (id) on delete set default;
alter table reports
  alter column reporter_id set default 0,
  drop constraint reports_reporter_id_fkey,
  add constraint reports_reporter_id_fkey foreign key (reporter_id) references users (id) on delete set default;
alter table moderation_log
  alter column actor_id set default 0,
  alter column member_id set default 0,
  drop constraint moderation_log_actor_id_fkey,
  add constraint moderation_log_actor_id_fkey foreign key (actor_id) references users (id) on delete set default,
  drop constraint moderation_log_member_id_fkey,
  add constraint moderation_log_member_id_fkey foreign key (member_id) references users (id) on delete set default;
alter table users
  drop constraint users_pseudonym_of_fkey,
  add constraint users_pseudonym_of_fkey foreign key (pseudonym_of) references users (id) on delete cascade;

-- Several who left may have reported the same.
drop index reports_open;
create unique index reports_open on reports (case_id, reporter_id) where settled_at is null and reporter_id <> 0;

-- A picture of a text that stays stays with it.
create function hand_over_pictures() returns trigger language plpgsql as $$
begin
  update pictures set user_id = 0 where user_id = old.id and exists (
    select from post_pictures where post_pictures.path = pictures.path and draft_id is null);
  return old;
end $$;
create trigger hand_over_pictures before delete on users for each row execute function hand_over_pictures();

-- Its own username is taken; a member who has it already keeps it.
with free as (
  select username from (values (1, 'former-member'), (2, 'former.member'), (3, 'former_member-0')) as wanted (place, username)
  where not exists (select from usernames where usernames.username = wanted.username)
    and not exists (select from users where users.username = wanted.username)
  order by place limit 1),
claimed as (insert into usernames (username) select username from free returning username)
insert into users (id, username, name, email, imported)
  select 0, username, 'Former member', username || '@import.invalid', true from claimed;
