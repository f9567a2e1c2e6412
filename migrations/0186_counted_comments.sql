-- What a member wrote is counted up to a thousand. Without these columns in the index, PostgreSQL took all entries of the member first: of who
-- writes most, tens of thousands.
create index comments_by_author on comments (author_id, created_at desc) include (question_id, parent_id, status);
create index solutions_by_author on comments (author_id, created_at desc, id desc) include (question_id, status) where is_solution;
