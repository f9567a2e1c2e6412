-- A merged question that is hidden or deleted, and restored, is merged again.
alter table questions add column was_merged_into integer references questions (id) on delete set null;
comment on column questions.was_merged_into is 'of a hidden or deleted question: the one that it was merged into before, and is merged into again once it is restored';
create index questions_was_merged_into on questions (was_merged_into) where was_merged_into is not null;

-- Also where a node of the previous version publishes or merges it, which does not know the column.
create function forget_former_merge() returns trigger language plpgsql as $$
begin
  new.was_merged_into := null;
  return new;
end $$;
create trigger forget_former_merge before update of status on questions
  for each row when (new.status in ('published', 'merged')) execute function forget_former_merge();
