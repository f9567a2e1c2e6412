-- Whoever does not show what a skill rests on keeps that choice when the skill is taken off the profile and added again.

-- By the name: a skill that nobody has is forgotten overnight, and is another row when somebody adds it again.
create table hidden_evidence (
  user_id   integer not null references users (id) on delete cascade,
  name_key  text not null,
  primary key (user_id, name_key)
);
comment on table hidden_evidence is 'skills that are not on the profile at the moment, whose evidence their member does not show';

create function remember_hidden_evidence() returns trigger language plpgsql as $$
begin
  -- The account may be what is being deleted.
  insert into hidden_evidence (user_id, name_key)
    select users.id, skills.name_key from users, skills where users.id = old.user_id and skills.id = old.skill_id
    on conflict do nothing;
  return null;
end $$;
create trigger remember_hidden_evidence after delete on profile_skills
  for each row when (old.evidence_hidden) execute function remember_hidden_evidence();

create function hide_evidence_again() returns trigger language plpgsql as $$
begin
  delete from hidden_evidence using skills
    where hidden_evidence.user_id = new.user_id and hidden_evidence.name_key = skills.name_key and skills.id = new.skill_id;
  if found then new.evidence_hidden := true; end if;
  return new;
end $$;
create trigger hide_evidence_again before insert on profile_skills
  for each row execute function hide_evidence_again();
