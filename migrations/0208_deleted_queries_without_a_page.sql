-- A deleted query had no page where only its author had commented. Where all of them have left, nobody can tell any more, so none gets a page.
update questions q set status_by = null
where q.author_id = 0 and q.status = 'deleted' and q.status_by is not null
  and not exists (select from comments d where d.question_id = q.id and d.status = 'published' and d.author_id <> 0);
