import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { askQuestion, editQuestion } from '~/features/asking/asking.server.ts'
import { openConversation } from '~/features/chat/messages/reading.server.ts'
import { setBlocked } from '~/features/conversations/conversations.server.ts'
import { NO_CRITERIA } from '~/features/directory/directory.paths.ts'
import { listCommunity } from '~/features/directory/directory.server.ts'
import { suggest } from '~/features/directory/suggestions.server.ts'
import { addComment, deleteComment, editComment, restoreComment } from '~/features/discussion/commenting.server.ts'
import { castVote, chooseSolution } from '~/features/discussion/votes.server.ts'
import { getHome } from '~/features/home/home.server.ts'
import { listConversations } from '~/features/inbox/inbox.server.ts'
import { listBlocked } from '~/features/members/blocks.server.ts'
import { listNotifications } from '~/features/notifications/notifications.server.ts'
import { getProfile } from '~/features/profiles/profiles.server.ts'
import { setFollowing } from '~/features/tags/following.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { makeConversation, makeMessage } from '../../../tests/factories/chat.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { makeTab } from '../../../tests/factories/presence.ts'
import { callApi } from '../../../tests/support/api-calls.ts'
import { useDatabase } from '../../../tests/support/database.ts'

/* The effects of a block outside the chat, for every action that concerns the other member, by use case and by API. */

useDatabase()

let serial = 0
/** Ann owns the posts, Ben acts on them, Cleo is somebody else. */
let ann: SignedIn
let ben: SignedIn
let cleo: SignedIn
let token: string

beforeAll(async () => {
	// Creates the tables of the job queue.
	await startJobs()
	await stopJobs()
})

beforeEach(async () => {
	serial += 1
	ann = await makeMember(`ann${serial}`)
	ben = await makeMember(`ben${serial}`)
	cleo = await makeMember(`cleo${serial}`)
	token = (await makeToken(ben, { name: 'test', scopes: ['read', 'write', 'messages:read'], days: 7 })).token
})

const states = ['nobody blocks', 'ann blocks ben', 'ben blocks ann'] as const
type State = (typeof states)[number]

interface Act {
	name: string
	/** Creates the posts, before the block. */
	prepare: () => Promise<Record<string, number>>
	run: (ids: Record<string, number>) => Promise<unknown>
	api: (ids: Record<string, number>) => [method: string, path: string, body?: object]
	/** The error that Ben gets while Ann blocks him; null if the action is allowed. */
	refused: string | null
	/** Whether Ann is notified without a block. */
	tells: boolean
}

const no = 'You cannot comment here.'
const text = (description: string) => ({
	title: 'A title of this length',
	description,
	tags: 'zebra',
	category: 'others',
})
const hello = () => `Hello @${ann.username}, look.`

const onAnns = async () => ({ query: (await makeQuestion(ann)).id })
const underCleos = async () => {
	const { id: query } = await makeQuestion(cleo)
	return { query, comment: await makeComment(ann, query) }
}
const withOwnComment = async () => {
	const { query } = await onAnns()
	return { query, comment: await makeComment(ben, query) }
}

const acts: Act[] = [
	{
		name: 'commenting on a query of hers',
		prepare: onAnns,
		run: ({ query = 0 }) => addComment(ben, { questionId: query, parentId: null, body: 'So.' }),
		api: ({ query }) => ['POST', `/queries/${query}/comments`, { body: 'So.' }],
		refused: no,
		tells: true,
	},
	{
		name: 'answering a comment of hers under a query of another member',
		prepare: underCleos,
		run: ({ query = 0, comment = 0 }) => addComment(ben, { questionId: query, parentId: comment, body: 'So.' }),
		api: ({ query, comment }) => ['POST', `/queries/${query}/comments`, { body: 'So.', parentId: comment }],
		refused: no,
		tells: true,
	},
	{
		name: 'commenting beside her, naming her',
		prepare: underCleos,
		run: ({ query = 0 }) => addComment(ben, { questionId: query, parentId: null, body: hello() }),
		api: ({ query }) => ['POST', `/queries/${query}/comments`, { body: hello() }],
		refused: null,
		tells: true,
	},
	{
		name: 'rewriting an older comment under her query',
		prepare: withOwnComment,
		run: ({ comment = 0 }) => editComment(ben, comment, { body: 'Otherwise.' }),
		api: ({ comment }) => ['PATCH', `/comments/${comment}`, { body: 'Otherwise.' }],
		refused: no,
		tells: false,
	},
	{
		name: 'bringing back a comment under her query',
		prepare: async () => {
			const ids = await withOwnComment()
			await deleteComment(ben, ids.comment)
			return ids
		},
		run: ({ comment = 0 }) => restoreComment(ben, comment),
		api: ({ comment }) => ['POST', `/comments/${comment}/restore`],
		refused: no,
		tells: true,
	},
	{
		name: 'deleting a comment under her query',
		prepare: withOwnComment,
		run: ({ comment = 0 }) => deleteComment(ben, comment),
		api: ({ comment }) => ['DELETE', `/comments/${comment}`],
		refused: null,
		tells: false,
	},
	{
		name: 'asking, naming her',
		prepare: async () => ({}),
		run: () => askQuestion(ben, text(hello())),
		api: () => ['POST', '/queries', text(hello())],
		refused: null,
		tells: true,
	},
	{
		name: 'naming her in an edit',
		prepare: async () => ({ query: (await makeQuestion(ben)).id }),
		run: ({ query = 0 }) => editQuestion(ben, query, text(hello())),
		api: ({ query }) => ['PATCH', `/queries/${query}`, text(hello())],
		refused: null,
		tells: true,
	},
	{
		name: 'asking in a tag that she follows',
		prepare: async () => {
			await makeQuestion(cleo, { tags: 'zebra' })
			await setFollowing(ann, { tag: 'zebra' }, true)
			return {}
		},
		run: () => askQuestion(ben, text('About zebras.')),
		api: () => ['POST', '/queries', text('About zebras.')],
		refused: null,
		tells: true,
	},
	{
		name: 'choosing her comment as a solution',
		prepare: async () => {
			const { id: query } = await makeQuestion(ben)
			return { query, comment: await makeComment(ann, query) }
		},
		run: ({ query = 0, comment = 0 }) => chooseSolution(ben, { questionId: query, commentId: comment }),
		api: ({ comment }) => ['PUT', `/comments/${comment}/solution`],
		refused: null,
		tells: true,
	},
	{
		name: 'voting on a query of hers',
		prepare: onAnns,
		run: ({ query = 0 }) => castVote(ben, { questionId: query, commentId: null, vote: -1 }),
		api: ({ query }) => ['PUT', `/queries/${query}/vote`, { vote: -1 }],
		refused: 'You cannot vote here.',
		tells: false,
	},
	{
		name: 'voting on a comment of hers under a query of another member',
		prepare: underCleos,
		run: ({ query = 0, comment = 0 }) => castVote(ben, { questionId: query, commentId: comment, vote: 1 }),
		api: ({ comment }) => ['PUT', `/comments/${comment}/vote`, { vote: 1 }],
		refused: 'You cannot vote here.',
		tells: false,
	},
	{
		name: 'taking a vote back',
		prepare: async () => {
			const ids = await onAnns()
			await castVote(ben, { questionId: ids.query, commentId: null, vote: 1 })
			return ids
		},
		run: ({ query = 0 }) => castVote(ben, { questionId: query, commentId: null, vote: 0 }),
		api: ({ query }) => ['PUT', `/queries/${query}/vote`, { vote: 0 }],
		refused: null,
		tells: false,
	},
]

const cells = acts.flatMap((act) => states.map((state) => [act.name, state, act] as const))

async function begin(act: Act, state: State): Promise<Record<string, number>> {
	const ids = await act.prepare()
	await sql`delete from notifications where user_id = ${ann.id}`.execute(db())
	await sql`update notification_boxes set unread = 0, mail_due_at = null where user_id = ${ann.id}`.execute(db())
	if (state === 'ann blocks ben') await setBlocked(ann, ben.username, true)
	if (state === 'ben blocks ann') await setBlocked(ben, ann.username, true)
	return ids
}

/** How often Ann was notified on the site, and whether a mail is queued. */
async function toldAnn() {
	const { rows } = await sql<{ due: boolean }>`
		select mail_due_at is not null as due from notification_boxes where user_id = ${ann.id}`.execute(db())
	return { notifications: (await listNotifications(ann)).rows.length, mail: rows[0]?.due ?? false }
}

describe.each(cells)('%s, while %s', (_name, state, act) => {
	const isRefused = state === 'ann blocks ben' && act.refused !== null
	const isNotified = state !== 'ann blocks ben' && act.tells

	test('by the use case', async () => {
		const ids = await begin(act, state)
		if (isRefused) await expect(act.run(ids)).rejects.toThrow(act.refused ?? '')
		else await act.run(ids)
		expect(await toldAnn()).toEqual({ notifications: Number(isNotified), mail: isNotified })
	})

	test('by the API', async () => {
		const ids = await begin(act, state)
		const [method, path, body] = act.api(ids)
		const answer = await callApi(method, path, { token, ...(body && { body }) })
		const said = await answer.text()
		expect([answer.status >= 400, answer.status], said).toEqual([isRefused, isRefused ? 403 : answer.status])
		if (isRefused) expect((JSON.parse(said) as { detail: string }).detail).toBe(act.refused)
		expect(await toldAnn()).toEqual({ notifications: Number(isNotified), mail: isNotified })
	})
})

describe('a blocked member', () => {
	/** Whether this viewer sees Ann online, in each place that shows it. */
	async function seenBy(viewer: SignedIn | null) {
		const inList = ({ page }: Awaited<ReturnType<typeof listCommunity>>) =>
			page.rows.find(({ username }) => username === ann.username)?.online ?? null
		const { people } = await getHome(viewer)
		const suggested = (await suggest(ann.username, viewer)).people.find(({ username }) => username === ann.username)
		return {
			list: inList(await listCommunity(NO_CRITERIA, null, viewer)),
			online: inList(await listCommunity({ ...NO_CRITERIA, online: true }, null, viewer)),
			active: inList(await listCommunity({ ...NO_CRITERIA, sort: 'active' }, null, viewer)),
			home: people.find(({ username }) => username === ann.username)?.online,
			suggested: suggested?.online,
			...(viewer && {
				profile: (await getProfile(viewer, ann.username)).online,
				seen: (await getProfile(viewer, ann.username)).lastSeenAt,
				conversation: (await openConversation(viewer, ann.username)).peer.online,
				inbox: (await listConversations(viewer)).conversations.map(({ peer }) => peer.online),
			}),
		}
	}

	const all = { list: true, online: true, active: true, home: true, suggested: true }
	const asMember = { ...all, profile: true, seen: null, conversation: true, inbox: [true] }

	test('does not see the blocker online, others do, and so does the member after the block', async () => {
		for (const other of [ben, cleo]) await makeConversation(ann, other)
		await sql`insert into profiles (user_id, last_seen_at) values (${ann.id}, now())`.execute(db())
		await makeTab(ann.id)
		expect(await seenBy(ben)).toEqual(asMember)
		await setBlocked(ann, ben.username, true)
		const none = { list: false, online: null, active: null, home: false, suggested: false }
		expect(await seenBy(ben)).toEqual({ ...none, profile: false, seen: null, conversation: false, inbox: [false] })
		expect(await seenBy(cleo)).toEqual(asMember)
		expect(await seenBy(null)).toEqual(all)
		const answer = await callApi('GET', `/me/conversations/${ann.username}`, { token })
		expect(await answer.json()).toMatchObject({ peer: { online: false, lastSeenAt: null } })
		await setBlocked(ann, ben.username, false)
		expect(await seenBy(ben)).toEqual(asMember)
	})

	test('is removed from the blocker’s unread notifications; other members remain', async () => {
		const { id } = await makeQuestion(ann, { title: 'A question with answers' })
		await makeComment(ben, id)
		await makeComment(cleo, id)
		await makeComment(ben, id)
		const alone = await makeQuestion(ben, text(hello()))
		expect((await listNotifications(ann)).rows).toHaveLength(2)
		await setBlocked(ann, ben.username, true)
		const { rows } = await listNotifications(ann)
		expect(rows).toMatchObject([{ actor: { username: cleo.username }, people: 1 }])
		expect(JSON.stringify(rows)).not.toContain(alone.url)
		const { rows: boxes } = await sql`
			select unread, (select sum(count)::int from notifications where user_id = ${ann.id}) as acts
			from notification_boxes where user_id = ${ann.id}`.execute(db())
		expect(boxes).toEqual([{ unread: 1, acts: 1 }])
	})

	test('is listed for the blocker, and can be unblocked', async () => {
		await setBlocked(ann, ben.username, true)
		await setBlocked(ann, cleo.username, true)
		expect((await listBlocked(ann)).map(({ username }) => username)).toEqual([cleo.username, ben.username])
		expect(await listBlocked(ben)).toEqual([])
		await setBlocked(ann, ben.username, false)
		expect((await listBlocked(ann)).map(({ username }) => username)).toEqual([cleo.username])
		await makeMessage(ben, ann, 'Again.')
		expect((await listConversations(ann, { requests: true })).conversations).toHaveLength(1)
	})

	test('still reads the blocker’s public posts, and is notified of them', async () => {
		const { id } = await makeQuestion(ben)
		await setBlocked(ann, ben.username, true)
		await makeComment(ann, id)
		expect((await listNotifications(ben)).rows).toHaveLength(1)
	})
})
