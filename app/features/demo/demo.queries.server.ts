import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { DemoMember } from './demo.schema.ts'

/** Whether there are members or questions, or the demo content was added before. The account of former members (0) always exists. */
export async function hasContent(executor: Executor = db()): Promise<boolean> {
	const { rows } = await sql<{ inhabited: boolean }>`
		select exists (select 1 from users where id <> 0) or exists (select 1 from questions) or exists (select 1 from milestones where name = 'demo') as inhabited`.execute(
		executor,
	)
	return rows[0]?.inhabited ?? false
}

/** An arbitrary number that no other advisory lock uses. */
const DEMO_LOCK = 5_271_010

/** Ensures that only one transaction adds the demo content. */
export async function lockDemo(trx: Executor): Promise<void> {
	await sql`select pg_advisory_xact_lock(${DEMO_LOCK})`.execute(trx)
}

/** Inserts a demo member with a complete profile. @param login with a `passwordHash` of null nobody can log in */
export async function insertDemoMember(
	trx: Executor,
	member: DemoMember,
	joinedAt: Date,
	{ passwordHash, role, aboutHtml }: { passwordHash: string | null; role: 'member' | 'moderator'; aboutHtml: string },
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
	const { phone, city, expertise_in, about, open_to, pronouns, status, public_page, academics, social_links } = member
	await trx
		.insertInto('profiles')
		.values({
			user_id: id,
			phone,
			city,
			expertise_in,
			about,
			about_html: aboutHtml,
			open_to,
			pronouns,
			public_page,
			status_line: status,
			status_until: status ? sql<string>`site_today() + 7` : null,
			...academics,
			...social_links,
			last_seen_at: null,
		})
		.execute()
	await insertItems(trx, id, member)
	await addSkills(trx, id, member.skills)
	return id
}

async function insertItems(trx: Executor, userId: number, member: DemoMember): Promise<void> {
	const rowsOf = <T>(items: T[]) => items.map((item, position) => ({ ...item, user_id: userId, position }))
	const { projects, experiences, certificates } = member
	if (projects.length > 0) await trx.insertInto('projects').values(rowsOf(projects)).execute()
	if (experiences.length > 0) await trx.insertInto('experiences').values(rowsOf(experiences)).execute()
	if (certificates.length > 0) await trx.insertInto('certificates').values(rowsOf(certificates)).execute()
}

/** The id of a demo question. @param title as in the data file @throws Error if there is none */
export async function findDemoQuestion(trx: Executor, title: string): Promise<number> {
	const question = await trx
		.selectFrom('questions')
		.select('id')
		.where('source', '=', 'demo')
		.where('source_id', '=', title)
		.executeTakeFirst()
	if (!question) throw new Error(`The demo has no question "${title}".`)
	return question.id
}

/** The id of a tag of a demo question. @throws Error if no question has it */
export async function findDemoTag(trx: Executor, name: string): Promise<number> {
	const tag = await trx.selectFrom('tags').select('id').where('name', '=', name).executeTakeFirst()
	if (!tag) throw new Error(`No question of the demo has the tag "${name}".`)
	return tag.id
}

/** A post that a member is notified of. */
export interface DemoEvent {
	/** Null if the post is a question. */
	comment_id: number | null
	author_id: number
	at: Date
	kind: 'comment' | 'reply' | 'solution' | 'followed'
	question_id: number
	title: string
	category: string
	username: string
}

/** Comments on a member's questions and comments, and questions with tags that the member follows, oldest first. */
export async function listDemoEvents(trx: Executor, userId: number): Promise<DemoEvent[]> {
	const { rows } = await sql<DemoEvent>`
		with events as (
			select c.id as comment_id, c.author_id, c.created_at as at, c.question_id,
				case when parent.author_id = ${userId} then 'reply' else 'comment' end as kind
			from comments c join questions q on q.id = c.question_id left join comments parent on parent.id = c.parent_id
			where ${userId} in (q.author_id, parent.author_id) and c.author_id <> ${userId}
			union all select c.id, q.author_id, c.created_at + interval '1 hour', q.id, 'solution'
			from comments c join questions q on q.id = c.question_id where c.author_id = ${userId} and c.is_solution
			union all select null, q.author_id, q.created_at, q.id, 'followed' from questions q
			where q.author_id <> ${userId} and q.created_at > now() - interval '20 days' and exists (
				select from question_tags t join follows f on f.tag_id = t.tag_id where t.question_id = q.id and f.user_id = ${userId}))
		select events.*, q.title, c.slug as category, u.username
		from events join questions q on q.id = events.question_id join categories c on c.id = q.category_id
			join users u on u.id = q.author_id
		order by at`.execute(trx)
	return rows
}

/** Backdates a member's notifications to their events. Those of today stay unread; none is mailed. */
export async function backdateDemoNotifications(
	trx: Executor,
	userId: number,
	times: ReadonlyMap<string, Date>,
): Promise<void> {
	await sql`
		with dated as (
			update notifications n set created_at = given.at, updated_at = given.at, seen_at = given.at,
				read_at = case when given.at < now() - interval '12 hours' then given.at end
			from unnest(${[...times.keys()]}::text[], ${[...times.values()]}::timestamptz[]) as given (group_key, at)
			where n.user_id = ${userId} and n.group_key = given.group_key returning on_site, read_at)
		update notification_boxes set mail_due_at = null,
			unread = (select count(*) from dated where on_site and read_at is null) where user_id = ${userId}`.execute(trx)
}

/** Backdates messages and their conversations. */
export async function backdateDemoMessages(trx: Executor, times: ReadonlyMap<number, Date>): Promise<void> {
	await sql`
		with dated as (
			update messages m set sent_at = given.at
			from unnest(${[...times.keys()]}::int[], ${[...times.values()]}::timestamptz[]) as given (id, at)
			where m.id = given.id returning m.conversation_id, m.sent_at)
		update conversations c set created_at = (select min(sent_at) from dated where conversation_id = c.id)
		where id in (select conversation_id from dated)`.execute(trx)
}

/** Sets the picture of a demo member. */
export async function writeDemoPicture(userId: number, path: string): Promise<void> {
	await db().updateTable('users').set({ image: path }).where('id', '=', userId).execute()
}

/** Records that the demo content is complete, and the number of its members. */
export async function markDemoComplete(trx: Executor, members: number): Promise<void> {
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
