-- The log of moderators is asked for decisions about one question or comment when its text is erased.
create index moderation_log_target on moderation_log (kind, target_id);
