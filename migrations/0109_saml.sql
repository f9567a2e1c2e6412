-- Logins by SAML 2.0. docs/decisions/0094-login-by-saml.md

-- Logins under way: each request is answered once, and its answer is fetched once by the browser that began.
create table saml_requests (
  -- of the AuthnRequest
  id           text primary key,
  expires_at   timestamptz not null,
  -- both null until an answer has come; the answer is encrypted
  ticket_hash  text,
  answer       text
);
comment on table saml_requests is 'logins by SAML under way, for minutes';
create index saml_requests_expiry on saml_requests (expires_at);

-- A login service that speaks SAML cannot be asked again who is still there: sessions that began there end by the clock.
alter table provider_sessions alter column refresh_token drop not null;
alter table provider_sessions add column ends_at timestamptz;
create index provider_sessions_ends_at on provider_sessions (ends_at) where ends_at is not null;
