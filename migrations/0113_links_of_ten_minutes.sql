-- A link that confirms an address works for ten minutes from when its mail leaves. Until expires_at its page sends another one.
-- The default is for links that a node of the version before makes.

alter table email_links add column works_until timestamptz not null default now() + interval '10 minutes';
alter table email_changes add column works_until timestamptz not null default now() + interval '10 minutes';
alter table campus_links add column works_until timestamptz not null default now() + interval '10 minutes';
