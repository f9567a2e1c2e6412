-- Members find their own questions that wait for a moderator. There are few at a time.
create index questions_pending on questions (author_id) where status = 'pending';
