-- Whether a member put the first steps away: they are then shown no more, on any device.
alter table profiles add column first_steps_dismissed boolean not null default false;
