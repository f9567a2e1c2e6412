-- Back-channel logout of OpenID Connect. docs/decisions/0159-backchannel-logout.md

-- The provider's own id of the session, from its ID token; null where it names none.
alter table provider_sessions add column sid text;
create index provider_sessions_sid on provider_sessions (sid) where sid is not null;

-- Each logout token counts once.
create table logout_tokens (
  -- of its issuer and id
  hash        text primary key,
  expires_at  timestamptz not null
);
comment on table logout_tokens is 'hashes of logout tokens, for about an hour';
