-- Roles by group of the campus login. docs/decisions/0147-roles-by-group.md

create table group_roles (
  user_id        integer primary key references users (id) on delete cascade,
  -- the login that showed the group; null once it is unlinked
  identity_id    integer references identities (id) on delete set null,
  provider       text not null,
  group_name     text not null,
  role           text not null check (role in ('moderator', 'admin')),
  -- the role that returns when the group's ends; null where the group gave none, as the role was given or taken by hand
  former_role    text check (former_role in ('member', 'moderator')),
  shown_at       timestamptz not null default now(),
  -- since when their logins show other groups only
  missing_since  timestamptz,
  -- when admins were last told that the group is missing
  told_at        timestamptz
);
comment on table group_roles is 'members whose login of the campus shows a group of moderators or admins';
create index group_roles_identity on group_roles (identity_id);

-- Whatever changes a role by hand wins over the group. Only the code that gives and ends roles by group writes the row anew afterwards.
create function role_by_hand() returns trigger language plpgsql as $$
begin
  update public.group_roles set former_role = null where user_id = new.id and former_role is not null;
  return null;
end
$$;
create trigger users_role_by_hand after update of role on users
  for each row when (old.role is distinct from new.role) execute function role_by_hand();
