-- What the edit forms need beyond 0004: the address of a certificate, and skills found by how their name begins.

alter table certificates add column certificate_url text not null default '';

-- `like 'post%'` walks a btree only in this order, whatever the collation of the database.
create index skills_prefix on skills (name_key text_pattern_ops);
