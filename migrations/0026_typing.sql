-- Typing is told to the peer unless a member would rather not.
alter table chat_settings add column shows_typing boolean not null default true;
comment on column chat_settings.shows_typing is 'whether peers are told that this member types';
