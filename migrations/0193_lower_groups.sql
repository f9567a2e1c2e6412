-- Who moves from a group of admins to one of moderators stays moderator when the first one ends.
alter table group_roles add column lower_group text;
comment on column group_roles.lower_group is 'the group with a lower role that the login shows since the other one is missing';
