-- A link for a new password confirms an account's main address only if it was mailed to that address, and to no other.
alter table verifications add column confirms_address boolean not null default true;
comment on column verifications.confirms_address is 'whether the link was mailed to the main address of the account only';
