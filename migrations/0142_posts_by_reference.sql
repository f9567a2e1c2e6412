-- Whoever deletes a question or a comment looks for what refers to it. Without these, each one read every question or bookmark.

create index questions_merged_into on questions (merged_into) where merged_into is not null;
create index bookmarks_question on bookmarks (question_id);
create index bookmarks_comment on bookmarks (comment_id) where comment_id is not null;
