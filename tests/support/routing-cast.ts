import { sql } from 'kysely'
import { beforeAll, beforeEach } from 'vitest'
import '~/features/index.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import { askedOn, listCandidates } from '~/features/routing/choosing.queries.server.ts'
import { setOptedIn } from '~/features/routing/choosing.server.ts'
import { MAX_ASKED_PER_WEEK } from '~/features/routing/routing.limits.ts'
import { loadTerms } from '~/features/terms/terms.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeComment, makeMember, makeQuestion } from '../factories/forum.ts'

/* Members, actions and assertions for tests of routing. */

let serial = 0
/** The asker; a new one in each test. */
export let asker: SignedIn
export let moderator: SignedIn

/** Resets opt-ins and jobs before each test. */
export function useRoutingCast(): void {
	beforeAll(async () => {
		await loadTerms()
		moderator = await makeMember('routing-moderator', 'moderator')
	})

	beforeEach(async () => {
		serial += 1
		asker = await makeMember(`asker${serial}`)
		await sql`truncate question_asks, routing_members`.execute(db())
		await sql`delete from graphile_worker._private_jobs`.execute(db())
	})
}

/** A member with these skills who opted in and was last seen long ago. */
export async function makeExpert(name: string, skills = ['React']): Promise<SignedIn> {
	const member = await makeMember(`${name}${serial}-expert`)
	await db()
		.insertInto('profiles')
		.values({ user_id: member.id, year_of_passing: null, current_semester: null, current_year: null })
		.execute()
	await db()
		.transaction()
		.execute((trx) => setSkills(trx, member.id, skills))
	await setOptedIn(member, true)
	return member
}

/** A question that is not left out. @returns its id */
export async function makeRouted(input: { tags?: string; title?: string } = {}): Promise<number> {
	const { id } = await makeQuestion(asker, { tags: 'react', ...input })
	await sql`update question_routing set routed = true where question_id = ${id}`.execute(db())
	return id
}

export async function askedAbout(id: number): Promise<string[]> {
	const { rows } = await sql<{ username: string }>`
		select username from question_asks join users on users.id = user_id where question_id = ${id} order by 1`.execute(
		db(),
	)
	return rows.map(({ username }) => username)
}

export const countAsked = async (id: number) => (await askedAbout(id)).length

export async function countAskedOf({ id }: SignedIn): Promise<number> {
	const { rows } = await sql`select from question_asks where user_id = ${id}`.execute(db())
	return rows.length
}

export async function countNotifiedAbout(id: number): Promise<number> {
	const { rows } = await sql`select from notifications where kind = 'may-know' and subject_id = ${id}`.execute(db())
	return rows.length
}

export async function routedRow(id: number): Promise<{ routed: boolean }[]> {
	const { rows } = await sql<{
		routed: boolean
	}>`select routed from question_routing where question_id = ${id}`.execute(db())
	return rows
}

export async function queuedRounds(): Promise<unknown[]> {
	const { rows } = await sql<{ payload: unknown }>`
		select payload from graphile_worker._private_jobs where payload ->> 'round' is not null`.execute(db())
	return rows.map(({ payload }) => payload)
}

/** The members who would be asked now, best first. */
export async function ranking(id: number): Promise<string[]> {
	const { rows } = await sql<{ id: number; username: string }>`select id, username from users`.execute(db())
	const names = new Map(rows.map((row) => [row.id, row.username]))
	return (await listCandidates(db(), id, 20)).map((member) => names.get(member.user_id) ?? '')
}

export async function seenBy(member: SignedIn, id: number) {
	const { rows } = await sql<{ asked: { people: number; mine: { names: string[]; declined: boolean } | null } }>`
		select asked from ${askedOn(member.id, id)} seen`.execute(db())
	return rows[0]?.asked ?? null
}

/** Records that a member was asked about other questions so many days ago. */
export async function spendWeek(userId: number, days: number, times = MAX_ASKED_PER_WEEK): Promise<void> {
	for (let time = 0; time < times; time += 1) await noteAsk(userId, days)
}

/** Records a member's “not me” for React, so many times and days ago. */
export async function declineTimes(userId: number, times: number, days = 8): Promise<void> {
	for (let time = 0; time < times; time += 1) {
		await noteAsk(userId, Math.max(days, 8))
		await sql`update question_asks set declined_at = now() - make_interval(days => ${days}) where user_id = ${userId}`.execute(
			db(),
		)
	}
}

export async function noteAsk(userId: number, days: number): Promise<void> {
	const { id } = await makeQuestion(await makeMember(crypto.randomUUID().slice(0, 12)), { tags: 'react' })
	await sql`insert into question_asks (question_id, user_id, round, tag_ids, names, asked_at)
		select ${id}, ${userId}, 1, array(select id from tags where name = 'react'), '{React}', now() - make_interval(days => ${days})`.execute(
		db(),
	)
}

export const strengthen = (userId: number, strength: number) =>
	sql`insert into skill_strengths (user_id, skill_id, strength)
		select user_id, skill_id, ${strength} * evidence_scale(now()) from profile_skills where user_id = ${userId}`.execute(
		db(),
	)

export async function answerSome(member: SignedIn, times: number): Promise<void> {
	for (let time = 0; time < times; time += 1)
		await makeComment(member, (await makeQuestion(moderator, { tags: 'react' })).id)
}

export const setLastSeen = (userId: number, ago: string) =>
	sql`update profiles set last_seen_at = now() - ${ago}::interval where user_id = ${userId}`.execute(db())

export const setPresenceHidden = (userId: number) =>
	sql`update profiles set show_presence = false where user_id = ${userId}`.execute(db())
