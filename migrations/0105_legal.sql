-- Terms, privacy and imprint with their versions, and who accepted which. docs/decisions/0092-terms-and-consent.md

create table legal_versions (
  id            integer generated always as identity primary key,
  kind          text not null check (kind in ('terms', 'privacy', 'imprint')),
  body          text not null,
  note          text not null default '',
  asks          boolean not null default false,
  published_at  timestamptz not null default now(),
  published_by  integer references users (id) on delete set null
);
comment on column legal_versions.body is 'Markdown with placeholders; empty where the text was withdrawn';
comment on column legal_versions.note is 'what is new, in words for members';
comment on column legal_versions.asks is 'of terms: members are asked to accept this version';
create index legal_versions_newest on legal_versions (kind, id desc);
create index legal_versions_by on legal_versions (published_by) where published_by is not null;

create table consents (
  user_id     integer not null references users (id) on delete cascade,
  version_id  integer not null references legal_versions (id),
  at          timestamptz not null default now(),
  primary key (user_id, version_id)
);

-- Compared by every write, which reads the row anyway.
alter table users
  add column agreed_to integer not null default 0,
  add column asked_to integer not null default 0;
comment on column users.agreed_to is 'the newest version of the terms that the member accepted; 0 for none';
comment on column users.asked_to is 'the newest version that the member put off: they are not asked again, and only read';

alter table registrations add column agreed_to integer not null default 0;

-- However an account is made or changed, what it accepted stands in consents with the time.
create function record_consent() returns trigger language plpgsql as $$
begin
  insert into consents (user_id, version_id) values (new.id, new.agreed_to) on conflict do nothing;
  return null;
end $$;
create trigger record_consent_of_new after insert on users for each row when (new.agreed_to > 0) execute function record_consent();
create trigger record_consent after update of agreed_to on users for each row
  when (new.agreed_to > 0 and new.agreed_to is distinct from old.agreed_to) execute function record_consent();
