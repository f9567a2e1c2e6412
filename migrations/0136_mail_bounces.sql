-- What came back of mails to the addresses of accounts. docs/decisions/0103-mail-that-comes-back.md

create table mail_bounces (
  -- goes when the account gives the address up
  email          text primary key references account_emails (email) on delete cascade,
  user_id        integer not null references users (id) on delete cascade,
  -- of what is known of the address, when the newest mail that told it was sent
  sent_at        timestamptz not null default 'epoch',
  status         text not null default '',
  failed_days    date[] not null default '{}',
  marked_at      timestamptz,
  complained_at  timestamptz,
  cleared_at     timestamptz,
  tries          smallint not null default 0,
  tried_on       date
);
comment on column mail_bounces.status is 'as RFC 3463 numbers it, such as 5.1.1; empty where nothing was said';
comment on column mail_bounces.failed_days is 'days, in UTC, on which mails were sent that came back and might have arrived later';
comment on column mail_bounces.marked_at is 'mails come back: those of convenience are not sent; null where that is not known';
comment on column mail_bounces.complained_at is 'a mail was reported as spam: as an unsubscription from mails of convenience';
comment on column mail_bounces.cleared_at is 'reports on mails that were sent before say nothing any more';
comment on column mail_bounces.tries is 'mails that were sent on tried_on although they come back';
create index mail_bounces_user on mail_bounces (user_id);
create index mail_bounces_marked on mail_bounces (user_id) where marked_at is not null;
