import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { demoEmails } from '~/features/accounts/registration/demo-accounts.server.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { encodeCursor } from '~/platform/http/cursors.ts'
import { FORMER_MEMBER } from '~/platform/member-data.ts'
import { makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { expectCountsToHold } from '../../../tests/support/forum-rows.ts'
import { cast, decide, named, spam, useCast } from '../../../tests/support/moderation-cast.ts'
import { noteWrites, takeNotedWrites } from '../../../tests/support/noted-writes.ts'
import { listModeratedMembers, logOutMember, setModeratorRole } from './members.server.ts'
import { getCase, listCases, listLog } from './queue.server.ts'
import { reportSubject } from './reports.server.ts'

useDatabase()
useCast()

beforeAll(noteWrites)

describe('permissions', () => {
	const acts: [string, (viewer: Viewer) => Promise<unknown>, (keyof typeof cast)[]][] = [
		[
			'report a query',
			(viewer) => reportSubject(viewer, named('query', cast.query), spam),
			['member', 'moderator', 'admin'],
		],
		[
			'report a comment',
			(viewer) => reportSubject(viewer, named('comment', cast.comment), spam),
			['member', 'moderator', 'admin'],
		],
		[
			'report a profile',
			(viewer) => reportSubject(viewer, named('profile', 'author'), spam),
			['member', 'moderator', 'admin'],
		],
		['read the queue', (viewer) => listCases(viewer, { order: 'newest', cursor: null }), ['moderator', 'admin']],
		['open a case', (viewer) => getCase(viewer, named('query', cast.query)), ['moderator', 'admin']],
		['hide a query', (viewer) => decide(viewer, 'query', cast.query, 'hide'), ['moderator', 'admin']],
		['hide a comment', (viewer) => decide(viewer, 'comment', cast.comment, 'hide'), ['moderator', 'admin']],
		['lock a query', (viewer) => decide(viewer, 'query', cast.query, 'lock'), ['moderator', 'admin']],
		['merge', (viewer) => mergeAway(viewer), ['moderator', 'admin']],
		['suspend', (viewer) => decide(viewer, 'profile', 'author', 'suspend', { time: '1 day' }), ['moderator', 'admin']],
		['list who is suspended', (viewer) => listModeratedMembers(viewer), ['moderator', 'admin']],
		['read the log', (viewer) => listLog(viewer, { member: '', cursor: null }), ['admin']],
		['log a member out everywhere', (viewer) => logOutMember(viewer, 'author'), ['admin']],
		['make a moderator', (viewer) => setModeratorRole(viewer, 'author', 'moderator'), ['admin']],
	]
	const table = acts.flatMap(([what, act, allowed]) =>
		([null, 'member', 'author', 'moderator', 'admin'] as const).map(
			(name) => [what, name, name !== null && allowed.includes(name), act] as const,
		),
	)

	test.each(table)('%s as %s: %s; a refusal changes nothing', async (_what, name, may, act) => {
		const other = (await makeQuestion(cast.author, { title: 'The query that stays' })).id
		into = other
		await takeNotedWrites()
		const viewer = name && cast[name]
		if (may) await act(viewer)
		else {
			await expect(act(viewer)).rejects.toThrow(NotAllowed)
			expect(await takeNotedWrites()).toEqual([])
		}
		await expectCountsToHold()
		await undo()
	})

	test('moderators cannot suspend staff or themselves, and admins cannot suspend admins', async () => {
		const second = await makeMember('second', 'moderator')
		await takeNotedWrites()
		for (const [actor, victim] of [
			[cast.moderator, cast.admin],
			[cast.moderator, second],
			[cast.moderator, cast.moderator],
			[cast.admin, cast.admin],
		] as const)
			await expect(decide(actor, 'profile', victim.username, 'suspend', { time: '1 day' })).rejects.toThrow(NotAllowed)
		expect(await takeNotedWrites()).toEqual([])
		await decide(cast.admin, 'profile', second.username, 'suspend', { time: 'for ever' })
		await expect(decide(second, 'query', cast.query, 'hide')).rejects.toThrow(/permanently suspended/)
	})

	test('nobody suspends an account without a login, as that of all who left; a suspension from before can end', async () => {
		await sql`update comments set author_id = ${FORMER_MEMBER} where id = ${cast.comment}`.execute(db())
		const acts = async () => (await getCase(cast.moderator, named('comment', cast.comment))).acts
		expect(await acts()).not.toContain('suspend')
		await takeNotedWrites()
		await expect(decide(cast.moderator, 'comment', cast.comment, 'suspend', { time: '1 day' })).rejects.toThrow(
			NotAllowed,
		)
		expect(await takeNotedWrites()).toEqual([])
		await sql`update users set suspended_until = 'infinity' where id = ${FORMER_MEMBER}`.execute(db())
		expect(await acts()).toContain('lift')
		await decide(cast.moderator, 'comment', cast.comment, 'lift')
		expect(await acts()).not.toContain('lift')
	})

	test('a revoked role has no effect, whatever a session contains', async () => {
		const former = await makeMember('former', 'moderator')
		await setModeratorRole(cast.admin, 'former', 'member')
		await takeNotedWrites()
		await expect(decide(former, 'query', cast.query, 'hide')).rejects.toThrow(NotAllowed)
		await expect(decide(former, 'query', cast.query, 'lock')).rejects.toThrow(NotAllowed)
		expect(await takeNotedWrites()).toEqual([])
		await decide(cast.moderator, 'query', cast.query, 'hide')
		await expect(getQuestion(former, cast.query)).rejects.toThrow(NotFound)
	})
})

test('nobody who is suspended becomes a moderator', async () => {
	await decide(cast.moderator, 'profile', 'author', 'suspend', { time: '1 day' })
	await takeNotedWrites()
	await expect(setModeratorRole(cast.admin, 'author', 'moderator')).rejects.toThrow('Lift the suspension first.')
	expect(await takeNotedWrites()).toEqual([])
	await undo()
})

test('a demo account becomes no moderator', async () => {
	const { id } = await makeMember('demo')
	await db().updateTable('users').set({ email: demoEmails.member }).where('id', '=', id).execute()
	await expect(setModeratorRole(cast.admin, 'demo', 'moderator')).rejects.toThrow('The role of a demo account')
})

let into = 0
const mergeAway = (viewer: Viewer) =>
	decide(viewer, 'query', cast.query, 'merge', { into: `/forum/others/author/${into}` })

/** Tests share their members, so their changes are undone. */
async function undo() {
	for (const act of [
		() => decide(cast.admin, 'profile', 'author', 'lift'),
		() => setModeratorRole(cast.admin, 'author', 'member'),
		() => decide(cast.admin, 'profile', 'author', 'dismiss'),
	])
		await act().catch(() => {})
}

test('all suspended members are reached page by page, the longest suspensions first', async () => {
	await sql`
		insert into users (username, name, email, suspended_until)
		select 'gone-' || n, 'Gone ' || n, 'gone-' || n || '@campus.example',
			case when n % 2 = 0 then 'infinity' else now() + n * interval '1 day' + interval '0.000001 s' * n end
		from generate_series(1, 130) n`.execute(db())
	const found: string[] = []
	let cursor: string | null = null
	do {
		const { page }: Awaited<ReturnType<typeof listModeratedMembers>> = await listModeratedMembers(
			cast.moderator,
			cursor,
		)
		found.push(...page.rows.map(({ username }) => username))
		cursor = page.next
	} while (cursor !== null)
	const named = found.filter((username) => username.startsWith('gone-')).map((username) => Number(username.slice(5)))
	const descending = (from: number) => Array.from({ length: 65 }, (_, index) => from - 2 * index)
	expect(named).toEqual([...descending(130), ...descending(129)])
	expect(new Set(found).size).toBe(found.length)
})

test.each([['nonsense'], [encodeCursor(['soon', 1])], [encodeCursor(['infinity', 99_999_999_999])]])(
	'the cursor %s of the suspended members is refused',
	async (cursor) => {
		await expect(listModeratedMembers(cast.moderator, cursor)).rejects.toThrow(Invalid)
	},
)
