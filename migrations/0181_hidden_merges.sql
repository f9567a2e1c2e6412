-- A merged question that is hidden or deleted, and restored, is merged again.
alter table questions add column was_merged_into integer references questions (id) on delete set null;
comment on column questions.was_merged_into is 'of a hidden or deleted question: the one that it was merged into before, and is merged into again once it is restored';
create index questions_was_merged_into on questions (was_merged_into) where was_merged_into is not null;
