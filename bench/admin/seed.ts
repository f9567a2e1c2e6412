import { runMigrations } from 'graphile-worker'
import { pool } from '~/platform/db/db.server.ts'

/*
 * Seeds reports, cases, suspensions and the log of a campus after some years, enough rows of each kind for realistic plans. Deterministic.
 */

/** Statements in order; `n` is a number from 1 on. */
const statements = [
	`update users set created_at = now() - interval '3 years' * random(), logged_in_at = now() - interval '200 days' * random(),
		cohort = 'Class of ' || 2024 + id % 6`,
	`update users set logged_in_at = null where id % 10 = 0`,
	`update users set suspended_until = now() + interval '30 days', suspended_reason = 'Advertising' where id % 25 = 0`,
	`update users set role = 'moderator' where id % 500 = 0`,
	`update profiles set hidden_at = now(), hidden_reason = 'Abusive' where user_id % 100 = 1`,
	// Cases: 6,000, of which 400 are open, each with at least one report.
	`insert into cases (kind, target_id, report_count, waits, active_at, closed_at)
		select 'comment', id, 1 + id % 4, false, now() - n * interval '3 hours', case when n > 250 then now() - n * interval '2 hours' end
		from (select id, row_number() over (order by id) as n from comments where id % 27 = 0) c where n <= 4000`,
	`insert into cases (kind, target_id, report_count, waits, active_at, closed_at)
		select 'query', id, 1 + id % 4, false, now() - n * interval '5 hours', case when n > 100 then now() - n * interval '4 hours' end
		from (select id, row_number() over (order by id) as n from questions where id % 13 = 0) q where n <= 1500`,
	`insert into cases (kind, target_id, report_count, active_at, closed_at)
		select 'profile', id, 2, now() - n * interval '7 hours', case when n > 50 then now() - n * interval '6 hours' end
		from (select id, row_number() over (order by id) as n from users where id % 10 = 1) u where n <= 500`,
	`insert into reports (case_id, reporter_id, reason, details, created_at, settled_at)
		select cases.id, reporter.id, (array['spam', 'off-topic', 'abusive', 'other'])[1 + cases.id % 4], 'This is not what the forum is for.',
			cases.active_at, cases.closed_at
		from cases cross join generate_series(1, report_count) n
		join lateral (select id from users where not imported and id > (cases.id * 37 + n * 101) % 4900 order by id limit 1) reporter on true
		on conflict do nothing`,
	`insert into case_notes (case_id, author_id, body)
		select id, (select id from users where role = 'moderator' order by id limit 1), 'Wrote to them.' from cases where id % 7 = 0`,
	`insert into moderation_log (at, actor_id, act, kind, target_id, member_id, why, facts)
		select now() - n * interval '20 minutes', moderator.id, (array['hide', 'dismiss', 'restore', 'suspend'])[1 + n % 4],
			'comment', c.id, c.author_id, 'Not what the forum is for', '{"title": "A comment"}'
		from generate_series(1, 20000) n join comments c on c.id = n * 5
		cross join (select id from users where role = 'moderator' order by id limit 1) moderator`,
	`insert into invites (token_hash, cohort, max_uses, expires_at, created_by, created_at)
		select 'link ' || n, 'Class of ' || 2024 + n % 6, 500, now() + interval '30 days', (select min(id) from users where role = 'moderator'), now() - n * interval '2 days'
		from generate_series(1, 300) n`,
	`update users set invite_id = (select min(id) from invites) + id % 300 where id % 2 = 0`,
	`insert into registrations (email, name, password_hash, device_hash, invite_id)
		select 'waits-' || n || '@campus.example', 'Waits', 'none', 'none', (select min(id) from invites) + n % 300 from generate_series(1, 1000) n`,
	`insert into invite_lists (cohort, state, report, expires_at, created_by)
		select 'Class of ' || 2024 + n % 6, 'done', '{"leftOut": [], "members": 0, "invited": 0}', now() + interval '30 days', (select min(id) from users where role = 'moderator')
		from generate_series(1, 40) n`,
	`insert into invited_addresses (list_id, email, token_hash, mailed_at)
		select (select min(id) from invite_lists) + n % 40, 'invited-' || n || '@campus.example', 'address ' || n, now() - interval '20 days'
		from generate_series(1, 20000) n`,
	`update users set invited_address_id = (select min(id) from invited_addresses) + id where id % 2 = 1`,
	`insert into missed_searches (day, words, searches)
		select current_date - day, 'nobody ' || day || ' ' || word, 1 + (day * word) % 9 from generate_series(0, 89) day, generate_series(1, 200) word`,
	`select graphile_worker.add_job(case when n % 2 = 0 then 'send-mail' else 'notify' end, '{}', run_at => now() + interval '1 year') from generate_series(1, 2000) n`,
	`update graphile_worker._private_jobs set attempts = max_attempts, last_error = 'The mail server did not answer.'`,
	`insert into backups (started_at, ended_at, file, bytes)
		select now() - n * interval '1 day', now() - n * interval '1 day' + interval '5 minutes', 'backups/' || n, 1000000000 from generate_series(1, 365) n`,
	`insert into webhooks (name, url, events, secret, enabled)
		select 'Hook ' || n, 'https://campus.example/' || n, '{query.created}', '', false from generate_series(1, 20) n`,
	`insert into webhook_deliveries (webhook_id, event, subject_id, state, tries, status, created_at, tried_at)
		select (select min(id) from webhooks) + n % 20, 'query.created', n, (array['sent', 'failed'])[1 + n % 2], 1, 200, now() - n * interval '1 minute', now()
		from generate_series(1, 40000) n`,
	`insert into sessions (user_id, token, expires_at, created_at, updated_at)
		select id, 'session ' || id || ' ' || n, now() + interval '20 days', now() - n * interval '9 days', now() - n * interval '9 days'
		from users, generate_series(1, 2) n where not imported`,
	`insert into takedowns (member_id, actor_id, reason, state, counts)
		select id, (select min(id) from users where role = 'moderator'), 'Advertising', 'undone', '{"comment": [9, 9]}' from users, generate_series(1, 5) where id % 25 = 0`,
	`insert into legal_versions (kind, body, published_at)
		select kind, repeat('What this site does. ', 400), now() - n * interval '30 days' from unnest('{terms,privacy,imprint}'::text[]) kind, generate_series(1, 20) n`,
	`insert into weekly_reads (week, kind, reads)
		select date_trunc('week', now())::date - 7 * week, kind, 1000 + week
		from generate_series(0, 25) week, unnest('{question,list,search,community,profile,home}'::text[]) kind`,
	`insert into weekly_question_reads (week, question_id, reads)
		select date_trunc('week', now())::date - 7 * week, id, 1 + (id * 31 + week) % 400 from questions, generate_series(0, 25) week where (id + week) % 4 = 0`,
	`insert into weekly_storage (week, part, bytes)
		select date_trunc('week', now())::date - 7 * week, part, 1000000000 from generate_series(0, 25) week, unnest('{database,pictures}'::text[]) part`,
]

/** Adds the data of staff pages to a seeded forum, and updates the statistics. */
export async function seedStaff(): Promise<void> {
	await runMigrations({ pgPool: pool() })
	const client = await pool().connect()
	try {
		await client.query('select setseed(0.5)')
		for (const statement of statements) await client.query(statement)
		await client.query('vacuum (analyze)')
	} finally {
		client.release()
	}
}
