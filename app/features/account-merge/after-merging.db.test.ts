import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { claimUsername } from '~/features/accounts/accounts.queries.server.ts'
import { getDraft, saveDraft } from '~/features/asking/drafts.server.ts'
import { transferConversations } from '~/features/conversations/leaving.queries.server.ts'
import { addComment } from '~/features/discussion/commenting.server.ts'
import { castVote, chooseSolution } from '~/features/discussion/votes.server.ts'
import { followQuestion, setAffected } from '~/features/following/following.server.ts'
import { savedSearchPath } from '~/features/following/following.view.ts'
import { listSavedSearches, saveSearch } from '~/features/following/searches.server.ts'
import { requireInvite } from '~/features/invites/joining/joining.server.ts'
import { countUnread, listNotifications, notifyOfFact } from '~/features/notifications/notifications.server.ts'
import { listProjectsToEdit } from '~/features/profile-editor/items.queries.server.ts'
import { getOrderVersion, moveItem } from '~/features/profile-editor/order.server.ts'
import { listItemRows } from '~/features/profiles/profiles.queries.server.ts'
import { reportOutdated } from '~/features/upkeep/outdated.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { findBrokenFigures, makeMessage } from '../../../tests/factories/chat.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { useJobTables } from '../../../tests/support/jobs.ts'
import { queuedBehind } from '../../../tests/support/locks.ts'
import { mergeAccounts } from './merging.server.ts'

useDatabase()
useJobTables()

let admin: SignedIn

beforeAll(async () => {
	admin = await makeMember('admin', 'admin')
})

async function join(username: string): Promise<SignedIn> {
	const member = await makeMember(username)
	await claimUsername(username)
	await sql`insert into profiles (user_id) values (${member.id})`.execute(db())
	return member
}

const merge = (gone: SignedIn, kept: SignedIn) =>
	mergeAccounts(admin, gone.username, { into: kept.username, username: gone.username, why: 'Registered twice.' })

async function makeSolution(author: SignedIn, questionId: number): Promise<number> {
	const id = await makeComment(author, questionId)
	await sql`update comments set is_solution = true where id = ${id}`.execute(db())
	return id
}

/** Has a member come by an invitation that was mailed to an address. @returns its token */
async function inviteBy({ id, username }: SignedIn): Promise<string> {
	const { rows } = await sql<{ id: number }>`
		insert into invite_lists (cohort, report, expires_at) values ('', '{}', now() + interval '9 days') returning id`.execute(
		db(),
	)
	const token = `token of ${username}`
	await sql`
		with made as (insert into invited_addresses (list_id, email, token_hash, mailed_at)
			values (${rows[0]?.id}, ${`${username}@invited.example`}, ${hashToken(token)}, now()) returning id)
		update users set invited_address_id = made.id from made where users.id = ${id}`.execute(db())
	return token
}

test('invitations stay used, whether one or both accounts registered by one', async () => {
	const [one, two, three] = [await join('one'), await join('two'), await join('three')]
	const first = await inviteBy(one)
	await merge(one, two)
	await expect(requireInvite(first)).rejects.toThrow('already joined')
	const second = await inviteBy(three)
	await merge(three, two)
	await expect(requireInvite(first)).rejects.toThrow('already joined')
	await expect(requireInvite(second)).rejects.toThrow('not a valid invitation')
})

test('of two drafts of a new question both texts stay', async () => {
	const [gone, kept] = [await join('drafter'), await join('writer')]
	const draft = { key: 'ask', tags: '', category: 'others' }
	await saveDraft(gone, { ...draft, title: 'Why do herons nap?', description: 'On one leg.', pseudonym: 'true' })
	await saveDraft(kept, { ...draft, title: 'Where is the dam?', description: '' })
	await merge(gone, kept)
	const joined = { title: 'Where is the dam?', description: 'Why do herons nap?\n\nOn one leg.', pseudonym: true }
	expect(await getDraft(kept, 'ask')).toMatchObject({ ...joined, version: 2 })

	const same = await join('sameness')
	await saveDraft(same, { ...draft, ...joined })
	await merge(same, kept)
	expect(await getDraft(kept, 'ask')).toMatchObject({ ...joined, version: 2 })

	const [untitled, plain] = [await join('untitled'), await join('plain')]
	await saveDraft(untitled, { ...draft, title: '', description: 'At noon.', pseudonym: 'true' })
	await saveDraft(plain, { ...draft, title: '', description: 'At dawn.' })
	await merge(untitled, plain)
	const both = { title: '', description: 'At dawn.\n\nAt noon.', pseudonym: true }
	expect(await getDraft(plain, 'ask')).toMatchObject(both)
	const named = await join('named')
	await saveDraft(named, { ...draft, title: '', description: 'At dawn.' })
	const hidden = await join('hider')
	await saveDraft(hidden, { ...draft, title: '', description: 'At dawn.', pseudonym: 'true' })
	await merge(hidden, named)
	expect(await getDraft(named, 'ask')).toMatchObject({ description: 'At dawn.', pseudonym: true })
})

test('a search that both accounts had saved leaves no notification that leads nowhere', async () => {
	const [gone, kept] = [await join('finder'), await join('seeker')]
	const saved = { kind: 'queries', query: 'herons', name: 'Herons' }
	const { id } = await saveSearch(gone, saved)
	await saveSearch(kept, saved)
	const other = await saveSearch(gone, { ...saved, query: 'egrets', name: 'Egrets' })
	for (const search of [
		{ id, title: 'Herons' },
		{ id: other.id, title: 'Egrets' },
	]) {
		const subject = { type: 'search', ...search, url: savedSearchPath(search.id) }
		const told = { kind: 'saved-search', memberIds: [gone.id], group: `${search.id}`, subject, part: null } as const
		await db()
			.transaction()
			.execute((trx) => notifyOfFact(trx, told))
	}
	await merge(gone, kept)
	const { rows } = await listNotifications(kept)
	expect([rows.map(({ title }) => title), await countUnread(kept)]).toEqual([['Egrets'], 1])
	expect((await listSavedSearches(kept)).map(({ name }) => name).sort()).toEqual(['Egrets', 'Herons'])
})

test('all items of both profiles can be seen, edited and moved, even if they are more than a member can add', async () => {
	const [gone, kept] = [await join('builder'), await join('maker')]
	await sql`
		insert into projects (user_id, project_title, position) select id, username || ' ' || place, place
		from users, generate_series(1, 70) place where id in (${gone.id}, ${kept.id})`.execute(db())
	await merge(gone, kept)
	const listed = async () => (await listProjectsToEdit(kept.id)).map(({ id }) => id)
	const ids = await listed()
	expect([ids.length, (await listItemRows(kept.id, 'whole')).projects.length]).toEqual([140, 140])
	const order = ids.toReversed()
	const version = String(await getOrderVersion(kept, kept.username))
	await moveItem(kept, kept.username, 'projects', { order: order.join(','), version })
	expect(await listed()).toEqual(order)
})

test.each([
	['one that has lapsed is replaced', 'lapsed', 400, 'second'],
	['a valid one stays', 'valid', 200, 'first'],
])('of two confirmed university addresses %s', async (_what, name, days, expected) => {
	const [gone, kept] = [await join(`${name}-second`), await join(`${name}-first`)]
	for (const [{ id, username }, age] of [[kept, days] as const, [gone, 5] as const])
		await sql`
			update profiles set university_email = ${`${username}@campus.example`}, campus_name = ${username},
				campus_verified_at = now() - make_interval(days => ${age}) where user_id = ${id}`.execute(db())
	await merge(gone, kept)
	const { rows } = await sql`
		select university_email as email, campus_name as name from profiles
		where user_id = ${kept.id} and campus_verified_at > now() - interval '365 days'`.execute(db())
	expect(rows).toEqual([{ email: `${name}-${expected}@campus.example`, name: `${name}-${expected}` }])
})

describe('what a member does about a post of their other account while the two are being merged is refused', () => {
	const votes = 'You cannot vote on your own posts.'
	const outdated = 'This is your own text. Edit it, and say what changed.'
	const follows = 'You are notified of comments on your own queries anyway.'
	type Post = { questionId: number; commentId: number }

	test.each<[string, (kept: SignedIn, post: Post) => Promise<unknown>, string]>([
		['a vote on the query', (kept, post) => castVote(kept, { ...post, commentId: null, vote: 1 }), votes],
		['a vote on the comment', (kept, post) => castVote(kept, { ...post, vote: 1 }), votes],
		['“I have this too”', (kept, { questionId }) => setAffected(kept, questionId, true), follows],
		['a report that it is outdated', (kept, { commentId }) => reportOutdated(kept, commentId, {}), outdated],
		['following', (kept, { questionId }) => followQuestion(kept, questionId, true), follows],
	])('%s', async (name, act, message) => {
		const number = name.length
		const [gone, kept] = [await join(`other${number}`), await join(`main${number}`)]
		const { id: questionId } = await makeQuestion(gone)
		const commentId = await makeSolution(gone, questionId)
		// The merge holds the posts and waits for the account, while the act has read who wrote them and waits for the posts.
		const ended = await queuedBehind<unknown>(
			(trx) => sql`select from users where id = ${kept.id} for update`.execute(trx),
			[() => merge(gone, kept), () => act(kept, { questionId, commentId })],
		)
		expect(ended).toMatchObject([{ status: 'fulfilled' }, { reason: { message } }])
	})
})

test.each<[string, (gone: SignedIn, other: SignedIn) => Promise<() => Promise<unknown>>]>([
	[
		'a comment on their query',
		async (gone, other) => {
			const { id: questionId } = await makeQuestion(gone)
			return () => addComment(other, { questionId, parentId: null, body: 'It is the cache.' })
		},
	],
	[
		'a comment on their query under a pseudonym',
		async (gone, other) => {
			const { id: questionId } = await makeQuestion(gone, { pseudonym: true })
			return () => addComment(other, { questionId, parentId: null, body: 'It is the cache.' })
		},
	],
	[
		'a solution by them',
		async (gone, other) => {
			const { id: questionId } = await makeQuestion(other)
			const commentId = await makeComment(gone, questionId)
			return () => chooseSolution(other, { questionId, commentId })
		},
	],
	[
		'the second report that their solution is outdated',
		async (gone, other) => {
			const { id: questionId } = await makeQuestion(gone)
			const commentId = await makeSolution(gone, questionId)
			await reportOutdated(await join(`first-${gone.username}`), commentId, {})
			return () => reportOutdated(other, commentId, {})
		},
	],
])('%s notifies the member whose two accounts are being merged', async (what, prepare) => {
	const number = what.length
	const [gone, kept, other] = [await join(`old${number}`), await join(`new${number}`), await join(`else${number}`)]
	const act = await prepare(gone, other)
	const ended = await queuedBehind<unknown>(
		(trx) => sql`select from users where id = ${kept.id} for update`.execute(trx),
		[() => merge(gone, kept), act],
	)
	expect(ended).toMatchObject([{ status: 'fulfilled' }, { status: 'fulfilled' }])
	const { rows } = await sql`select from notifications where user_id = ${kept.id}`.execute(db())
	expect(rows).toHaveLength(1)
})

test('the deletion of a member goes on where two members who wrote with them were merged in the middle of it', async () => {
	const [leaver, gone, kept] = [await join('leaver'), await join('pen'), await join('friend')]
	const { id, username, name } = leaver
	const account = { id, username, name, accounts: [id], usernames: [username], emails: [], keepsTexts: false }
	const goOn = () => transferConversations({ ...account, alias: 'former-leaver' })
	await makeMessage(leaver, gone, 'To the one.')
	await goOn()
	await makeMessage(leaver, kept, 'To the other.')
	await merge(gone, kept)
	await goOn()
	const { rows } = await sql<{ body: string }>`
		select m.body from messages m join users u on u.id = m.sender_id
		where m.recipient_id = ${kept.id} and u.former order by m.id`.execute(db())
	expect(rows.map(({ body }) => body)).toEqual(['To the one.', 'To the other.'])
	expect(await findBrokenFigures()).toEqual([])
})
