-- Tags of which a query in a category needs one. docs/decisions/0098-what-staff-decide.md

alter table categories add column required_tags text[] not null default '{}';
comment on column categories.required_tags is 'a query there has at least one of them; empty where any tag will do';
