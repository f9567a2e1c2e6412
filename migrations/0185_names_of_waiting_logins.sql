-- The page that links a login of the campus names the person there, so that nobody links the login of somebody else who used the same device.
-- The default is for logins that a node of the version before stores.

alter table link_requests add column identity_name text not null default '';
comment on column link_requests.identity_name is 'what the campus calls the person: their name, and their username in brackets';
