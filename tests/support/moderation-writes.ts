import { sql } from 'kysely'
import { addSynonym, removeSynonym } from '~/features/tags/tags.server.ts'
import type { Cast, Target, Write } from './writes.ts'
import '~/features/index.server.ts'
import { makePseudonym } from '~/features/members/pseudonyms.server.ts'
import { openPendingCase } from '~/features/moderation/cases.queries.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { QUEUE_SUBJECT } from '~/features/moderation/handling/handling.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { lockAnyQuestion } from '~/features/questions/status/status.queries.server.ts'
import { removeQuestion } from '~/features/questions/writing/writing.queries.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeQuestion } from '../factories/forum.ts'

/* Writes that only staff may make. */

/** An action on a question, a comment or a profile, with the same form and operation. */
function acting(
	name: string,
	act: string,
	kind: 'query' | 'comment' | 'profile',
	{
		prepare,
		fields = () => ({}),
	}: Pick<Write, 'prepare'> & { fields?: (target: Target) => Record<string, string> } = {},
): Write {
	const place = (target: Target) => `/moderation/${kind}/${kind === 'profile' ? 'victim' : target[kind]}`
	const sent = (target: Target) => ({ why: 'A reason.', ...fields(target) })
	return {
		name,
		for: 'staff',
		form: (target) => [place(target), { intent: act, ...sent(target) }],
		api: (target) => ['POST', `${place(target)}/acts`, { act, ...sent(target) }],
		...(prepare && { prepare }),
	}
}

const before =
	(act: string) =>
	(cast: Cast, { query }: Target) =>
		decideCase(cast.moderator, { kind: 'query', name: String(query), act }, { why: 'A reason.' })

/** Pins are limited, and every attempt pins another question. */
const unpinAll = () => db().deleteFrom('question_pins').execute()

/** Makes the question pending, like that of a newcomer. */
const waiting = (_cast: Cast, { query }: Target) =>
	db()
		.transaction()
		.execute(async (trx) => {
			const locked = await lockAnyQuestion(trx, query)
			if (locked) await removeQuestion(trx, query, locked, { status: 'pending', by: null })
			await openPendingCase(trx, 'query', query)
		})

/** Changes the question to one under a pseudonym. */
const underPseudonym = ({ author }: Cast, target: Target) =>
	db()
		.transaction()
		.execute(async (trx) => {
			const { query, comment } = target
			const { id, username } = await makePseudonym(trx, author)
			target.url = target.url.replace(`/${author.username}/`, `/${username}/`)
			await sql`update users set created_at = now() - interval '2 days' where id = ${id}`.execute(trx)
			await sql`update questions set author_id = ${id} where id = ${query}`.execute(trx)
			await sql`update comments set author_id = ${id} where id = ${comment}`.execute(trx)
		})

const reported = async ({ victim }: Cast, { query }: Target) => {
	await sql`delete from reports`.execute(db())
	await sql`update users set suspended_until = null where id = ${victim.id}`.execute(db())
	await reportSubject(victim, { kind: 'query', name: String(query) }, { reason: 'spam' })
}

const suspend = (until: string | null) => (cast: Cast) =>
	sql`update users set role = 'member', suspended_until = ${until}, suspended_reason = '' where id = ${cast.victim.id}`.execute(
		db(),
	)

/** The victim is a member with a profile, hidden or not. */
const profile = (hidden: boolean) => async (cast: Cast) => {
	await suspend(null)(cast)
	const hidden_at = hidden ? new Date() : null
	await db()
		.insertInto('profiles')
		.values({ ...nothingOf, user_id: cast.victim.id, about: 'About me.', hidden_at })
		.onConflict((conflict) =>
			conflict.column('user_id').doUpdateSet({ about: 'About me.', hidden_at, hidden_reason: '' }),
		)
		.execute()
}
const nothingOf = { year_of_passing: null, current_semester: null, current_year: null }

const texts = { title: 'A title that waits longer', description: 'Body.', tags: 'fresh', category: 'python' }

/** Merge targets by merged question, created on demand, so that each attempt has one. */
const stays = new Map<number, number>()

export const moderationWrites: Write[] = [
	acting('hiding a query', 'hide', 'query'),
	acting('hiding a comment', 'hide', 'comment'),
	acting('hiding a merged query', 'hide', 'query', {
		prepare: async ({ admin, moderator }, { query }) => {
			const input = { why: 'A reason.', into: (await makeQuestion(admin)).url }
			await decideCase(moderator, { kind: 'query', name: String(query), act: 'merge' }, input)
		},
	}),
	acting('bringing a hidden query back', 'restore', 'query', { prepare: before('hide') }),
	acting('letting a post pass', 'approve', 'query', { prepare: waiting }),
	acting('keeping a post out', 'refuse', 'query', { prepare: waiting }),
	acting('unmasking who asked', 'unmask', 'query', { prepare: underPseudonym }),
	acting('unmasking who commented', 'unmask', 'comment', { prepare: underPseudonym }),
	acting('dismissing reports', 'dismiss', 'query', { prepare: reported }),
	{
		name: 'taking a case',
		for: 'staff',
		form: ({ query }) => [`/moderation/query/${query}`, { intent: 'assign', assignee: 'moderator' }],
		api: ({ query }) => ['PUT', `/moderation/query/${query}/assignee`, { assignee: 'moderator' }],
		prepare: async (cast, target) => {
			await reported(cast, target)
			await sql`update cases set assignee_id = null`.execute(db())
		},
	},
	{
		name: 'noting something in a case',
		for: 'staff',
		form: ({ query }) => [`/moderation/query/${query}`, { intent: 'note', note: 'Seen before.' }],
		api: ({ query }) => ['POST', `/moderation/query/${query}/notes`, { note: 'Seen before.' }],
	},
	acting('locking a query', 'lock', 'query'),
	acting('unlocking a query', 'unlock', 'query', { prepare: before('lock') }),
	acting('pinning a query', 'pin', 'query', { prepare: unpinAll }),
	acting('unpinning a query', 'unpin', 'query', {
		prepare: (cast, target) => unpinAll().then(() => before('pin-everywhere')(cast, target)),
	}),
	acting('merging a query', 'merge', 'query', {
		prepare: async ({ admin }, { query }) => stays.set(query, (await makeQuestion(admin)).id),
		fields: ({ query }) => ({ into: String(stays.get(query)) }),
	}),
	acting('suspending a member', 'suspend', 'profile', { prepare: suspend(null), fields: () => ({ time: '1 day' }) }),
	acting('hiding a profile', 'hide', 'profile', { prepare: profile(false) }),
	acting('showing a profile again', 'restore', 'profile', { prepare: profile(true) }),
	acting('removing a part of a profile', 'clean', 'profile', {
		prepare: profile(false),
		fields: () => ({ part: 'about' }),
	}),
	acting('lifting a suspension', 'lift', 'profile', { prepare: suspend('infinity') }),
	{
		name: 'changing a query that waits',
		for: 'author',
		refusal: '404',
		form: ({ url }) => [url.replace(/^\/forum\/[^/]+(.*)\/[\w-]+$/, '/forum/edit$1'), texts],
		api: ({ query }) => ['PATCH', `/queries/${query}`, texts],
		prepare: waiting,
	},
	{
		name: 'editing a query under a pseudonym',
		for: 'owner',
		form: ({ url }) => [
			url.replace(/^\/forum\/[^/]+(.*)\/[\w-]+$/, '/forum/edit$1'),
			{ ...texts, title: 'Another title' },
		],
		api: ({ query }) => ['PATCH', `/queries/${query}`, { title: 'Another title' }],
		prepare: underPseudonym,
	},
	{
		name: 'deleting a comment under a pseudonym',
		for: 'owner',
		deletes: true,
		form: ({ url, comment }) => [url, { intent: 'delete-comment', comment: String(comment) }],
		api: ({ comment }) => ['DELETE', `/comments/${comment}`],
		prepare: underPseudonym,
	},
	{
		name: 'withdrawing a query that waits',
		for: 'author',
		deletes: true,
		refusal: '404',
		form: ({ url }) => [url, { intent: 'delete-query' }],
		api: ({ query }) => ['DELETE', `/queries/${query}`],
		prepare: waiting,
	},
	{
		name: 'making a moderator',
		for: 'admin',
		form: () => ['/moderation/members', { intent: 'appoint', username: 'victim' }],
		api: () => ['PUT', '/moderation/members/victim/role', { role: 'moderator' }],
		prepare: ({ victim }) => setRole(victim, 'member'),
	},
	{
		name: 'taking that back',
		for: 'admin',
		form: () => ['/moderation/members', { intent: 'dismiss', username: 'victim' }],
		api: () => ['PUT', '/moderation/members/victim/role', { role: 'member' }],
		prepare: ({ victim }) => setRole(victim, 'moderator'),
	},
	{
		name: 'describing a tag',
		for: 'staff',
		form: () => ['/forum/tag/testing', { description: 'About tests.' }],
		api: () => ['PUT', '/tags/testing/description', { description: 'About tests.' }],
		prepare: () => sql`update tags set description = '' where name = 'testing'`.execute(db()),
	},
	{
		name: 'joining tags',
		for: 'staff',
		form: () => ['/forum/tags', { intent: 'join', name: 'testz', main: 'tests' }],
		api: () => ['PUT', '/synonyms/testz', { main: 'tests' }],
		prepare: ({ moderator }) => removeSynonym(moderator, 'testz').catch(() => null),
	},
	{
		name: 'parting tags',
		for: 'staff',
		form: () => ['/forum/tags', { intent: 'part', name: 'testz' }],
		api: () => ['DELETE', '/synonyms/testz'],
		prepare: ({ moderator }) => addSynonym(moderator, { name: 'testz', main: 'tests' }),
	},
]

/** Turns off moderators' notifications, so that their job writes nothing during an observed attempt. */
export async function muteQueue(): Promise<void> {
	await sql`
		insert into muted_subjects (user_id, subject_type, subject_id)
		select id, ${QUEUE_SUBJECT.type}, ${QUEUE_SUBJECT.id} from users`.execute(db())
}

function setRole({ id }: SignedIn, role: SignedIn['role']): Promise<unknown> {
	return sql`update users set role = ${role} where id = ${id}`.execute(db())
}
