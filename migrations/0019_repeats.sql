-- What a repeated or a late sending is recognised by, and what each notice was told of.

-- An edit of a comment names the version that it was made from, as an edit of a query does.
alter table comments add column version integer not null default 1;
