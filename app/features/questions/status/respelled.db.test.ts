import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { askQuestion, deleteQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { listNotifications } from '~/features/notifications/notifications.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import { setFollowing } from '~/features/tags/following.server.ts'
import { getTakedownPage, takeDown, undoTakedown } from '~/features/takedowns/takedowns.server.ts'
import { actOnTerm } from '~/features/vocabulary/acts.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeMember, makeQuestion } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { expectCountsToHold } from '../../../../tests/support/forum-rows.ts'
import { getQuestion } from '../questions.server.ts'

useDatabase()

let moderator: SignedIn
let author: SignedIn
let made = 0

beforeAll(async () => {
	moderator = await makeMember('moderator', 'moderator')
	author = await makeMember('author')
})

const decide = (id: number, act: string, input = {}) =>
	decideCase(moderator, { kind: 'query', name: String(id), act }, { why: 'Because.', ...input })

/** Asks a question that waits for a moderator. */
async function askWaiting(tags: string): Promise<number> {
	const newcomer = await makeMember(`fresh${made}`, 'member', new Date(Date.now() - 3_600_000))
	const text = { title: 'A question that waits', description: '[Shoes](https://shoes.example/)', category: 'others' }
	return (await askQuestion(newcomer, { ...text, tags })).id
}

/** Ways to publish a question again, each with how it was unpublished. @returns the question's id and what publishes it */
const ways: [string, (tags: string) => Promise<[number, () => Promise<unknown>]>][] = [
	[
		'approved',
		async (tags) => {
			const id = await askWaiting(tags)
			return [id, () => decide(id, 'approve')]
		},
	],
	[
		'restored by a moderator',
		async (tags) => {
			const { id } = await makeQuestion(author, { tags })
			await decide(id, 'hide')
			return [id, () => decide(id, 'restore')]
		},
	],
	[
		'separated from the one that it was merged into',
		async (tags) => {
			const { id } = await makeQuestion(author, { tags })
			await decide(id, 'merge', { into: String((await makeQuestion(author)).id) })
			return [id, () => decide(id, 'restore')]
		},
	],
	[
		'restored by its author',
		async (tags) => {
			const { id } = await makeQuestion(author, { tags })
			await deleteQuestion(author, id)
			return [id, () => restoreQuestion(author, id)]
		},
	],
	[
		'restored with its account',
		async (tags) => {
			const spammer = await makeMember(`spammer${made}`)
			const { id } = await makeQuestion(spammer, { tags })
			await takeDown(moderator, spammer.username, { why: 'Because.', from: '', time: '' })
			const [act] = (await getTakedownPage(moderator, spammer.username, null)).past
			return [id, () => undoTakedown(moderator, spammer.username, { why: 'No.', id: act?.id })]
		},
	],
]

test.each(ways)('a query that is %s has its tags as they are called by then', async (_way, unpublish) => {
	made += 1
	const [old, main] = [`old-word-${made}`, `main-word-${made}`]
	const [id, publish] = await unpublish(`${old}, kept`)
	await actOnTerm(moderator, 'join', 0, { word: old, into: main })
	await publish()
	expect((await getQuestion(null, id)).tags).toEqual([main, 'kept'])
	for (const tag of [old, main]) expect((await listQuestions(null, { tag })).rows.map((row) => row.id)).toEqual([id])
	expect((await listQuestions(null, { search: `tag:${old}` })).rows.map((row) => row.id)).toEqual([id])
	await expectCountsToHold()
})

test('followers of a tag are notified of a query that was pending while its tag was merged into theirs', async () => {
	made += 1
	const follower = await makeMember('follower')
	const [old, main] = ['former-word', 'present-word']
	await makeQuestion(author, { tags: main })
	await setFollowing(follower, { tag: main }, true)
	const id = await askWaiting(old)
	await actOnTerm(moderator, 'join', 0, { word: old, into: main })
	await decide(id, 'approve')
	expect((await listNotifications(follower)).rows.map(({ title }) => title)).toEqual(['A question that waits'])
})
