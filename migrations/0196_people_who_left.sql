-- Members who, as the university says, have left it. docs/decisions/0149-people-who-have-left-the-university.md

alter table users add column left_campus_at timestamptz;
comment on column users.left_campus_at is
  'since when the university says that the member has left it, by its directory or a list; null again after a login with its login';
create index users_left_campus on users (left_campus_at) where left_campus_at is not null;

alter table identities add column missing_since timestamptz;
comment on column identities.missing_since is 'since when the nightly check of the LDAP directory does not find it';

alter table identities add column spared boolean not null default false;
comment on column identities.spared is
  'an admin took back that its member has left; until the nightly check finds it again, it marks nobody';

alter table departures add column by_rule boolean not null default false;
comment on column departures.by_rule is 'the site asked for it, some time after the member left the university; a login keeps the account';

create table directory_checks (
  id integer generated always as identity primary key,
  at timestamptz not null default now(),
  state text not null check (state in ('done', 'held', 'failed', 'confirmed', 'ignored')),
  asked integer not null,
  missing integer not null default 0,
  staff integer not null default 0
);
comment on table directory_checks is 'the last nightly checks of the LDAP directory for members who are no longer in it';
comment on column directory_checks.state is
  'held: too many were missing, so an admin decides, confirmed or ignored; failed: the directory gave no clear answer';
comment on column directory_checks.missing is 'members who were missing for the second time and more, and not marked before; of a check that marks, those whom it marked';
comment on column directory_checks.staff is 'moderators and admins among those missing, whom no check marks';
