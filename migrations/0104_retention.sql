-- What has been stored for long enough is found without reading whole tables. docs/decisions/0091-retention.md

create index questions_deleted on questions (status_at) where status = 'deleted';
create index comments_deleted on comments (status_at) where status = 'deleted';
create index notifications_old on notifications (updated_at);
create index moderation_log_at on moderation_log (at);
create index reports_settled on reports (settled_at) where settled_at is not null;
create index question_asks_at on question_asks (asked_at);
create index similar_helped_at on similar_helped (at) where user_id is not null;
