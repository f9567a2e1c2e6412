-- Apart from migration 0186: whoever waits for this lock, as during a backup, would make the new indexes again at each try.
drop index comments_author, comments_author_solutions;
alter index comments_by_author rename to comments_author;
alter index solutions_by_author rename to comments_author_solutions;
