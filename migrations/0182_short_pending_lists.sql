-- Every search reads the pending list of a GIN index from one end to the other, once for each look into the index, and the planner counts it, too:
-- from some 250 pages on it read all questions instead. It grew to 4 MB, which is 500 pages, until somebody's write or autovacuum emptied it.
-- In kilobytes. Without a list, a changed question would take 2 ms more.
alter index questions_found set (gin_pending_list_limit = 256);
alter index questions_title set (gin_pending_list_limit = 256);

-- A word is short, and written once.
alter index search_words_spelling set (fastupdate = off);
alter index similar_words_spelling set (fastupdate = off);

select gin_clean_pending_list(name::regclass) from unnest('{questions_found,questions_title,search_words_spelling,similar_words_spelling}'::text[]) as name;

-- What a member wrote is counted without what belongs to a question that is not published: few are not.
create index questions_unpublished on questions (id) where status <> 'published';
