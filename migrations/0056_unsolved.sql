-- Queries that have comments and no solution, in the order of time: of the forum, of a category, of a tag.
create index questions_unsolved on questions (created_at desc, id desc) where status = 'published' and comment_count > 0 and not solved;
create index questions_category_unsolved on questions (category_id, created_at desc, id desc)
  where status = 'published' and comment_count > 0 and not solved;
create index question_tags_unsolved on question_tags (tag_id, created_at desc, question_id desc) where not unanswered and not solved;
