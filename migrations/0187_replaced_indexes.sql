-- Contract: 0.3.0 no longer uses these indexes, as those of migration 0186 have more columns in the same order.
-- Apart from that migration: whoever waits for this lock, as during a backup, would make the new ones again at each try.
drop index comments_author, comments_author_solutions;
