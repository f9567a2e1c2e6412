-- Who wants a mail a week of what is new in what they follow, of which week they had the last one, and since when it told.
alter table notification_boxes
  add column weekly boolean not null default false,
  add column weekly_of date,
  add column weekly_since timestamptz;
create index notification_boxes_weekly on notification_boxes (weekly_of) where weekly;
