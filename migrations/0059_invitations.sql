-- Who asked whom to answer a question. Somebody who declined is not asked again by anybody.
create table invitations (
  question_id  integer not null references questions (id) on delete cascade,
  user_id      integer not null references users (id) on delete cascade,
  inviter_id   integer not null references users (id) on delete cascade,
  invited_at   timestamptz not null default now(),
  told         boolean not null,
  declined_at  timestamptz,
  primary key (question_id, user_id, inviter_id)
);
comment on column invitations.told is 'whether it reached them: not where one blocks the other, nor after they declined or were asked before';
create index invitations_inviter on invitations (inviter_id, invited_at);
create index invitations_user on invitations (user_id);
