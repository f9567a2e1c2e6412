-- Webhooks: addresses of other servers that are told what happens on the site. docs/decisions/0168-outgoing-webhooks.md

create table webhooks (
  id integer generated always as identity primary key,
  name text not null,
  url text not null,
  events text[] not null,
  -- Encrypted with the secret of the data directory.
  secret text not null,
  enabled boolean not null default true,
  -- Since when every try has failed; null after a success.
  failing_since timestamptz,
  created_at timestamptz not null default now()
);

-- Only ids are stored: what is sent is read when it is sent.
create table webhook_deliveries (
  id uuid primary key default gen_random_uuid(),
  webhook_id integer not null references webhooks on delete cascade,
  event text not null,
  -- Of the question, comment, account or case, by the event; null for a test.
  subject_id integer,
  state text not null default 'waiting' check (state in ('waiting', 'sent', 'failed', 'skipped')),
  tries integer not null default 0,
  -- The status of HTTP that was answered last, and what went wrong.
  status integer,
  error text not null default '',
  created_at timestamptz not null default now(),
  tried_at timestamptz
);
create index webhook_deliveries_newest on webhook_deliveries (webhook_id, created_at desc);
create index webhook_deliveries_by_age on webhook_deliveries (created_at);

-- Adds the job that sends a delivery. Jobs with a higher number wait for those with a lower one, such as mails.
create function queue_delivery(delivery uuid) returns void language plpgsql as $$
begin
  perform graphile_worker.add_job('deliver-webhook', payload => json_build_object('delivery', delivery), job_key => 'webhook ' || delivery,
    priority => 10);
end $$;

-- Queues an event in the transaction that causes it, for each webhook that wants it.
create function queue_webhooks(what text, subject integer) returns void language plpgsql as $$
declare
  delivery uuid;
begin
  for delivery in
    insert into webhook_deliveries (webhook_id, event, subject_id)
    select id, what, subject from webhooks where enabled and what = any(events)
    returning id
  loop
    perform queue_delivery(delivery);
  end loop;
end $$;

-- Nothing is sent about imported questions, comments and authors: an import of thousands is no news.

create function queue_webhooks_of_question() returns trigger language plpgsql as $$
begin
  if tg_op = 'INSERT' or old.never_published then
    perform queue_webhooks('query.created', new.id);
    return null;
  end if;
  if new.version > old.version or old.status <> 'published' then
    perform queue_webhooks('query.updated', new.id);
  end if;
  return null;
end $$;
create trigger queue_webhooks_of_new_question after insert on questions
  for each row when (new.status = 'published' and new.source is null) execute function queue_webhooks_of_question();
create trigger queue_webhooks_of_question after update of status, version on questions
  for each row when (new.status = 'published' and new.source is null and (old.status, old.version) is distinct from (new.status, new.version))
  execute function queue_webhooks_of_question();

create function queue_webhooks_of_comment() returns trigger language plpgsql as $$
begin
  perform queue_webhooks('comment.created', new.id);
  return null;
end $$;
create trigger queue_webhooks_of_new_comment after insert on comments
  for each row when (new.status = 'published' and new.source_id is null) execute function queue_webhooks_of_comment();
create trigger queue_webhooks_of_comment after update of status on comments
  for each row when (new.status = 'published' and old.never_published and not new.never_published)
  execute function queue_webhooks_of_comment();

-- By the author's choice alone: a solution that is shown again with its comment is no news. The query is marked as solved after this.
create function queue_webhooks_of_solution() returns trigger language plpgsql as $$
begin
  if exists (select from questions where id = new.question_id and not solved and source is null) then
    perform queue_webhooks('query.solved', new.question_id);
  end if;
  return null;
end $$;
create trigger queue_webhooks_of_solution after update of is_solution on comments
  for each row when (new.is_solution and not old.is_solution and old.status = 'published' and new.status = 'published')
  execute function queue_webhooks_of_solution();

create function queue_webhooks_of_member() returns trigger language plpgsql as $$
begin
  perform queue_webhooks('member.joined', new.id);
  return null;
end $$;
create trigger queue_webhooks_of_member after insert on users
  for each row when (not new.imported and new.pseudonym_of is null) execute function queue_webhooks_of_member();

create function queue_webhooks_of_report() returns trigger language plpgsql as $$
begin
  perform queue_webhooks('report.created', new.case_id);
  return null;
end $$;
create trigger queue_webhooks_of_report after insert on reports
  for each row execute function queue_webhooks_of_report();
