-- Searching among a million queries. Each index knows every condition that a search can have, so that any combination is an
-- intersection whose cost follows its rarest part; and its first column, 4,096 queries that came one after the other,
-- lets a search for a common word look among the newest ones alone. docs/decisions/0016-forum-search.md

drop index queries_search, queries_tags, queries_title;
create index queries_found on queries using gin ((id >> 12), search, tags, category_id, author_id);
create index queries_title on queries using gin ((id >> 12), title_document(title), tags, category_id, author_id);
