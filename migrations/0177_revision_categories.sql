-- A category that is renamed or merged is no change of its questions: an earlier version names it by its id as well.

alter table revisions add column category_id integer references categories (id);
comment on column revisions.category_id is 'null for a comment, and where the title alone does not tell';

-- Of a title that several categories have or had, none is chosen.
update revisions set category_id = named.id
  from (select title, min(id) as id from categories group by title having count(*) = 1) named
  where named.title = revisions.category;
