-- Every comment and vote updates its question. Sampling texts and titles, which takes 0.2 s for 3,000 questions, happened with every tenth of them.
-- docs/decisions/0153-what-a-comment-costs-beside-its-statements.md
alter table questions set (autovacuum_analyze_scale_factor = 0.5);
