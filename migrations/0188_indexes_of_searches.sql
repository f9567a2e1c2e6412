-- As in migration 0182: a search of messages reads the pending list from one end to the other. In kilobytes.
alter index messages_search set (gin_pending_list_limit = 256);
select gin_clean_pending_list('messages_search');

-- Most questions with a common word have it in a comment. Of a hundred such questions one may be unanswered, and the rows of all were read to tell.
-- The condition is written as searches write it, in a way that does not match the lists of unanswered questions: see conditionsBesideWords.
create index questions_found_unanswered on questions using gin ((id >> 12), search, title_document(title), tags, category_id, author_id)
  with (gin_pending_list_limit = 256) where coalesce(comment_count = 0, false);
