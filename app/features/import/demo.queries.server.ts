import { sql } from 'kysely'
import { insertReport } from '~/features/moderation/cases.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { DemoMember } from './demo.schema.ts'

/** Whether somebody was here before the demo content: a member, or a query. */
export async function isInhabited(executor: Executor = db()): Promise<boolean> {
	const { rows } = await sql<{ inhabited: boolean }>`
		select exists (select 1 from users) or exists (select 1 from questions) or exists (select 1 from milestones where name = 'demo') as inhabited`.execute(
		executor,
	)
	return rows[0]?.inhabited ?? false
}

/** Any number that no other program takes as its advisory lock. */
const lockKey = 5_271_010

/** Has this transaction be the only one that adds the demo content, until it ends. */
export async function lockDemo(trx: Executor): Promise<void> {
	await sql`select pg_advisory_xact_lock(${lockKey})`.execute(trx)
}

/** Inserts a demo member with the whole profile. @param login a `passwordHash` of null is for an account that nobody can log in to */
export async function insertDemoMember(
	trx: Executor,
	member: DemoMember,
	joinedAt: Date,
	{ passwordHash, role }: { passwordHash: string | null; role: 'member' | 'moderator' },
): Promise<number> {
	await trx.insertInto('usernames').values({ username: member.username }).execute()
	const { id } = await trx
		.insertInto('users')
		.values({
			username: member.username,
			name: member.fullName,
			email: member.email.toLowerCase(),
			email_verified: true,
			role,
			image: null,
			created_at: joinedAt,
		})
		.returning('id')
		.executeTakeFirstOrThrow()
	if (passwordHash)
		await trx
			.insertInto('credentials')
			.values({ user_id: id, account_id: String(id), provider_id: 'credential', password: passwordHash })
			.execute()
	const { phone, city, expertise_in, about, open_to, academics, social_links } = member
	await trx
		.insertInto('profiles')
		.values({
			user_id: id,
			phone,
			city,
			expertise_in,
			about,
			open_to,
			...academics,
			...social_links,
			last_seen_at: null,
		})
		.execute()
	if (member.projects.length > 0)
		await trx
			.insertInto('projects')
			.values(member.projects.map((project, position) => ({ ...project, user_id: id, position })))
			.execute()
	if (member.certificates.length > 0)
		await trx
			.insertInto('certificates')
			.values(member.certificates.map((certificate, position) => ({ ...certificate, user_id: id, position })))
			.execute()
	await addSkills(trx, id, member.skills)
	return id
}

/** Puts a report of a demo question into the queue. @param title as it stands in the data */
export async function reportDemoQuestion(
	trx: Executor,
	title: string,
	reporterId: number,
	details: string,
): Promise<void> {
	const question = await trx
		.selectFrom('questions')
		.select('id')
		.where('source', '=', 'demo')
		.where('source_id', '=', title)
		.executeTakeFirstOrThrow()
	await insertReport(trx, { kind: 'query', targetId: question.id, reporterId, reason: 'off-topic', details })
}

/** Notes that the demo content stands, and counts its members. */
export async function reachDemo(trx: Executor, members: number): Promise<void> {
	await trx.insertInto('milestones').values({ name: 'demo' }).execute()
	await sql`update counters set value = value + ${members} where name = 'members'`.execute(trx)
}

async function addSkills(trx: Executor, userId: number, skills: string[]): Promise<void> {
	if (skills.length === 0) return
	const keyed = skills.map((name) => ({ name, name_key: name.toLowerCase() }))
	await trx
		.insertInto('skills')
		.values(keyed)
		.onConflict((conflict) => conflict.doNothing())
		.execute()
	await sql`
		with mine as (select id, array_position(${keyed.map(({ name_key }) => name_key)}::text[], name_key) as position from skills where name_key = any(${keyed.map(({ name_key }) => name_key)})),
		linked as (insert into profile_skills (user_id, skill_id, position) select ${userId}, id, position from mine)
		update skills set member_count = member_count + 1 from mine where skills.id = mine.id`.execute(trx)
}
