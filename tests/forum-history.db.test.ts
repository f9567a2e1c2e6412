import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { checkEvidence } from '~/features/evidence/evidence.server.ts'
import { features } from '~/features/index.server.ts'
import { log } from '~/lib/log.server.ts'
import { checkCounters } from '~/platform/db/counters.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { useDatabase } from './support/database.ts'
import { ForumHistory } from './support/forum-history.ts'
import { expectCountsToHold } from './support/forum-rows.ts'

/* The forum under many writers at once. `npm run test:histories` runs it with other seeds. */

useDatabase()

const seed = Number(process.env.FORUM_HISTORY_SEED ?? 1)
const ROUNDS = 5
const ACTS = 60

test(`posts, votes, decisions, merges and departures at the same time leave a forum whose numbers are right (seed ${seed})`, async () => {
	const warn = vi.spyOn(log, 'warn')
	const counters = features.flatMap((feature) => feature.counters ?? [])
	const history = new ForumHistory(seed)
	await history.begin()
	for (let round = 0; round < ROUNDS; round += 1) {
		const failures = await history.run(ACTS)
		expect(failures.join('\n'), `acts of round ${round}`).toBe('')
		warn.mockClear()
		await checkCounters(counters)
		expect(warn.mock.calls, `counters after round ${round}`).toEqual([])
		expect(await checkEvidence(), `members with wrong evidence after round ${round}`).toBe(0)
		await expectCountsToHold()
		expect(await contradictions(), `rows after round ${round}`).toBe('')
	}
})

/** Rows that contradict others, beyond the counters that the site itself checks; one per line, so that a log has them whole. */
async function contradictions(): Promise<string> {
	const { rows } = await sql<{ what: string; id: string }>`
		select 'unread notifications' as what, user_id as id from notification_boxes b
			where unread <> (select count(*) from notifications n where n.user_id = b.user_id and read_at is null and on_site)
		union all select 'notifications without a box', user_id from notifications
			where user_id not in (select user_id from notification_boxes)
		union all select 'search document', id from questions q
			where status = 'published' and tsvector_to_array(search) <> tsvector_to_array(whole_document(q))
		union all select 'tag row', q.id from question_tags t join questions q on q.id = t.question_id
			where (t.created_at, t.active_at, t.unanswered, t.solved, 'published')
				is distinct from (q.created_at, q.active_at, q.comment_count = 0, q.solved, q.status)
		union all select 'vote on an own query', q.id from question_votes v join questions q on q.id = v.question_id
			where q.author_id = v.user_id
		union all select 'vote on an own comment', c.id from comment_votes v join comments c on c.id = v.comment_id
			where c.author_id = v.user_id
		union all select '“I have this too” of the asker', q.id from affected_members a join questions q on q.id = a.question_id
			where q.author_id = a.user_id
		union all select 'reply elsewhere', c.id from comments c join comments p on p.id = c.parent_id
			where p.question_id <> c.question_id
		union all select 'query in a merged category', q.id from questions q join categories c on c.id = q.category_id
			where c.merged_into is not null
		union all select 'pending query without a case, or the reverse', q.id from questions q
			where (q.status = 'pending') <> exists (
				select from cases k where k.kind = 'query' and k.target_id = q.id and k.waits and k.closed_at is null)`.execute(
		db(),
	)
	return rows.map(({ what, id }) => `${what}: ${id}`).join('\n')
}
