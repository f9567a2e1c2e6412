-- When a check last found something, so that the weekly mail names a search once, and not each week until it is opened.

alter table saved_searches add column found_at timestamptz;
update saved_searches set found_at = checked_at where hits > 0;
