-- As in migration 0182: a search of messages reads the pending list from one end to the other. In kilobytes.
alter index messages_search set (gin_pending_list_limit = 256);
select gin_clean_pending_list('messages_search');
