-- What a report said in the words of the site, where those are its own. docs/decisions/0098-what-staff-decide.md

alter table reports add column reason_label text;
comment on column reports.reason_label is 'the reason as it was offered; null for the ones that come with the software';
