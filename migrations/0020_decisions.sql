-- Authors are told what a moderator decided about them, and why.

alter table notifications
  add column act     text not null default '',
  add column reason  text not null default '';
comment on column notifications.act is 'of the kind moderation: what was decided, as in app/features/notifications/kinds.present.ts';
comment on column notifications.reason is 'in the moderator''s words';
comment on column notifications.actor_ids is 'who did it, each once, the last one first, at most 50; nobody where a moderator did';
