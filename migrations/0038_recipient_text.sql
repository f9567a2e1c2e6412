-- The text that a recipient goes on seeing, who had blocked the sender when the message was changed, under a name that says so.
alter table messages rename column kept_body to recipient_body;
alter table messages rename column kept_html to recipient_html;
