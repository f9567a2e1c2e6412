-- Files are not in the transaction that forgets a picture: what is to be removed is written down with it, and removed later.
create table forgotten_pictures (
  path          text primary key,
  forgotten_at  timestamptz not null default now()
);

-- Whatever deletes the row, the account's deletion included.
create function forget_picture() returns trigger language plpgsql as $$
begin
  insert into forgotten_pictures (path) values (old.path) on conflict do nothing;
  return old;
end
$$;
create trigger pictures_forgotten after delete on pictures for each row execute function forget_picture();

create index pictures_created on pictures (created_at);
