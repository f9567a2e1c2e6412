import { sql } from 'kysely'
import { beforeAll, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { deleteQuestion } from '~/features/asking/asking.server.ts'
import { saveDraft } from '~/features/asking/drafts.server.ts'
import { saveBookmark } from '~/features/bookmarks/bookmarks.server.ts'
import { setBlocked } from '~/features/conversations/conversations.server.ts'
import { deleteComment } from '~/features/discussion/commenting.server.ts'
import { chooseSolution } from '~/features/discussion/votes.server.ts'
import { followQuestion } from '~/features/following/following.server.ts'
import { saveSearch } from '~/features/following/searches.server.ts'
import { setSkills } from '~/features/members/skills.server.ts'
import { decideCase } from '~/features/moderation/decisions.server.ts'
import { reportSubject } from '~/features/moderation/reports.server.ts'
import { addProject } from '~/features/profile-editor/items.server.ts'
import { addSynonym } from '~/features/tags/tags.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { makeConversation, makeMessage } from '../../../tests/factories/chat.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { filled } from '../../../tests/factories/profiles.ts'
import { callApi } from '../../../tests/support/api-calls.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { mismatches } from '../../../tests/support/json-schema.ts'
import { openApiDocument, operations } from './openapi.server.ts'

useDatabase()

let nell: SignedIn
let omar: SignedIn
let ada: SignedIn
const tokens = { nell: '', ada: '' }

beforeAll(async () => {
	await startJobs()
	await stopJobs()
	nell = await makeMember('nell')
	omar = await makeMember('omar')
	ada = await makeMember('ada', 'admin')
	tokens.nell = (
		await makeToken(nell, { name: 'test', scopes: ['read', 'write', 'messages:read', 'messages:write'], days: 7 })
	).token
	tokens.ada = (await makeToken(ada, { name: 'test', scopes: ['read', 'write', 'moderate'], days: 7 })).token
	// Somebody answers Nell, reports her, and is moderated, so that no list is empty.
	const { id } = await makeQuestion(nell)
	await makeComment(omar, id, 'Like this, @nell.')
	await reportSubject(omar, { kind: 'profile', name: 'nell' }, { reason: 'spam' })
	await decideCase(ada, { kind: 'query', name: String(id), act: 'lock' }, { why: 'It is over.' })
})

const queryOf = async (author: SignedIn) => (await makeQuestion(author)).id
const commentOf = async (author: SignedIn) => makeComment(author, await queryOf(nell))
const solutionOf = async (author: SignedIn) => {
	const questionId = await queryOf(nell)
	const commentId = await makeComment(author, questionId)
	await chooseSolution(nell, { questionId, commentId })
	return commentId
}

const talk = '/me/conversations/omar'
const messageOf = async (sender: SignedIn) => (await makeMessage(sender, sender === nell ? omar : nell)).id
/** A conversation in which both have written; the peer began it, so it is not a request. */
const spoken = async (rest: string) => {
	await makeConversation(omar, nell)
	return rest
}
const chatPaths: Record<string, () => Promise<string>> = {
	listConversations: () => spoken('/me/conversations'),
	getConversation: () => spoken(talk),
	listMessageChanges: () => spoken(`${talk}/changes?since=0`),
	searchMessages: async () => `/me/messages?q=hello&of=${await messageOf(omar)}`,
	listMessages: () => spoken(`${talk}/messages`),
	sendMessage: async () => `${talk}/messages`,
	getMessage: async () => `${talk}/messages/${await messageOf(omar)}`,
	editMessage: async () => `${talk}/messages/${await messageOf(nell)}`,
	deleteMessage: async () => `${talk}/messages/${await messageOf(nell)}`,
	reportMessage: async () => `${talk}/messages/${await messageOf(omar)}/reports`,
	readConversation: () => spoken(`${talk}/read`),
	acceptConversation: () => spoken(`${talk}/accepted`),
	muteConversation: () => spoken(`${talk}/muted`),
	unmuteConversation: () => spoken(`${talk}/muted`),
	listBlocked: async () => {
		await setBlocked(nell, 'ada', true)
		return '/me/blocks'
	},
	blockMember: async () => '/me/blocks/omar',
	unblockMember: async () => '/me/blocks/omar',
}

/** Paths of operations that need special data, with the function that creates it. */
const prepared: Record<string, () => Promise<string>> = {
	search: async () => '/search?q=hello',
	voteOnQuery: async () => `/queries/${await queryOf(omar)}/vote`,
	voteOnComment: async () => `/comments/${await commentOf(omar)}/vote`,
	chooseSolution: async () => `/comments/${await commentOf(omar)}/solution`,
	withdrawSolution: async () => `/comments/${await commentOf(omar)}/solution`,
	reportQuery: async () => `/queries/${await queryOf(omar)}/reports`,
	reportComment: async () => `/comments/${await commentOf(omar)}/reports`,
	listSkills: async () => {
		await db()
			.transaction()
			.execute((trx) => setSkills(trx, omar.id, ['React', 'Knitting']))
		await addProject(omar, 'omar', filled.project)
		return '/profiles/omar/skills'
	},
	reportProfile: async () => '/profiles/omar/reports',
	restoreQuestion: async () => {
		const id = await queryOf(nell)
		await deleteQuestion(nell, id)
		return `/queries/${id}/restore`
	},
	restoreComment: async () => {
		const id = await commentOf(nell)
		await deleteComment(nell, id)
		return `/comments/${id}/restore`
	},
	getDraft: async () => {
		await saveDraft(nell, { key: 'ask', title: 'How', description: '', tags: '', category: '' })
		return '/me/drafts/ask'
	},
	saveDraft: async () => `/me/drafts/edit:${await queryOf(nell)}`,
	uploadPicture: async () => '/pictures',
	listDrafts: async () => {
		await saveDraft(nell, { key: 'ask', title: 'How', description: '', tags: '', category: '' })
		return '/me/drafts'
	},
	listBookmarks: async () => {
		await saveBookmark(nell, { kind: 'query', id: await queryOf(omar) })
		return '/me/bookmarks'
	},
	saveBookmark: async () => `/me/bookmarks/comment/${await commentOf(omar)}`,
	removeBookmark: async () => `/me/bookmarks/query/${await queryOf(omar)}`,
	listAnswerable: async () => {
		await makeComment(nell, await queryOf(omar))
		await queryOf(omar)
		return '/me/answerable'
	},
	setAsked: async () => '/me/asked',
	declineQuery: async () => {
		const id = await queryOf(omar)
		await sql`insert into question_asks (question_id, user_id, round, tag_ids, names) values (${id}, ${nell.id}, 1, '{}', '{}')`.execute(
			db(),
		)
		return `/me/asked/${id}`
	},
	listFollowedQueries: async () => {
		await followQuestion(nell, await queryOf(omar), true)
		return '/me/following/queries'
	},
	invite: async () => {
		await makeMember('mira.quillon')
		return `/queries/${await queryOf(nell)}/invitations`
	},
	declineInvitation: async () => `/queries/${await queryOf(omar)}/invitations`,
	listSavedSearches: async () => {
		await saveSearch(nell, { kind: 'people', query: 'q=omar', name: 'Omar' })
		return '/me/searches'
	},
	saveSearch: async () => '/me/searches',
	removeSearch: async () => '/me/searches/1',
	sayOutdated: async () => `/comments/${await solutionOf(omar)}/outdated`,
	takeOutdatedBack: async () => `/comments/${await solutionOf(omar)}/outdated`,
	followQuery: async () => `/queries/${await queryOf(omar)}/following`,
	unfollowQuery: async () => `/queries/${await queryOf(omar)}/following`,
	setAffected: async () => `/queries/${await queryOf(omar)}/affected`,
	unsetAffected: async () => `/queries/${await queryOf(omar)}/affected`,
	addSynonym: async () => '/synonyms/unit-test',
	listSynonyms: async () => '/synonyms',
	removeSynonym: async () => {
		await addSynonym(ada, { name: 'e2e', main: 'end-to-end' })
		return '/synonyms/e2e'
	},
	setRole: async () => {
		await makeMember('orrin')
		return '/moderation/members/orrin/role'
	},
	...chatPaths,
	getCase: async () => '/moderation/profile/nell',
	assignCase: async () => {
		const query = await queryOf(omar)
		await reportSubject(nell, { kind: 'query', name: String(query) }, { reason: 'spam' })
		return `/moderation/query/${query}/assignee`
	},
	addCaseNote: async () => `/moderation/query/${await queryOf(omar)}/notes`,
	judge: async () => `/moderation/query/${await queryOf(omar)}/acts`,
}

test.each(operations.map((operation) => [operation.id, operation] as const))(
	'%s answers what the description says, by status and shape',
	async (_id, operation) => {
		const { id, path, method, example, staff } = operation
		const answer = await callApi(method.toUpperCase(), (await prepared[id]?.()) ?? (await plain(path)), {
			token: staff ? tokens.ada : tokens.nell,
			...(example && { body: id === 'readConversation' ? { upTo: await messageOf(omar) } : example }),
		})
		const described = openApiDocument().paths[path]?.[method]?.responses[answer.status]
		expect([answer.status, described]).toEqual([operation.status, expect.anything()])
		const schema = described?.content?.['application/json']?.schema
		const text = await answer.text()
		if (!schema) return expect(text).toBe('')
		const told = JSON.parse(text) as { rows?: unknown[] }
		expect(mismatches(openApiDocument(), schema, told)).toEqual([])
		if (told.rows) expect(told.rows).not.toHaveLength(0)
		expect(answer.headers.has('Location')).toBe(operation.location !== undefined)
	},
)

async function plain(path: string): Promise<string> {
	const query = await queryOf(nell)
	return path
		.replace('/comments/{id}', `/comments/${await makeComment(nell, query)}`)
		.replace('{id}', String(query))
		.replace('{slug}', 'others')
		.replace('{name}', 'testing')
		.replace('{key}', 'ask')
}

test('the response of a write matches what it did', async () => {
	const [query, comment] = [await queryOf(omar), await commentOf(omar)]
	const token = tokens.nell
	await callApi('PUT', `/queries/${query}/vote`, { token, body: { vote: -1 } })
	expect(await (await callApi('GET', `/queries/${query}`, { token })).json()).toMatchObject({ vote: -1, score: -1 })
	await callApi('PUT', `/comments/${comment}/solution`, { token })
	expect(await (await callApi('GET', `/comments/${comment}`)).json()).toMatchObject({ solution: true })
	await callApi('DELETE', `/comments/${comment}/solution`, { token })
	expect(await (await callApi('GET', `/comments/${comment}`)).json()).toMatchObject({ solution: false })
	await callApi('PUT', '/tags/testing/following', { token })
	await callApi('PUT', '/categories/python/following', { token })
	await callApi('DELETE', '/categories/python/following', { token })
	await callApi('PUT', `/me/bookmarks/query/${query}`, { token, body: { note: 'Later.' } })
	expect(await (await callApi('GET', `/queries/${query}`, { token })).json()).toMatchObject({ bookmarked: true })
	await callApi('DELETE', `/me/bookmarks/query/${query}`, { token })
	expect(await (await callApi('GET', `/queries/${query}`, { token })).json()).toMatchObject({ bookmarked: false })
	const followed = (await (await callApi('GET', '/me/following', { token })).json()) as Record<string, string[]>
	expect([followed.tags?.includes('testing'), followed.categories?.includes('python')]).toEqual([true, false])
	const body = { act: 'hide', why: 'Not here.' }
	expect((await callApi('POST', `/moderation/query/${query}/acts`, { token: tokens.ada, body })).status).toBe(200)
	expect((await callApi('GET', `/queries/${query}`, { token })).status).toBe(404)
})

test('a moderator’s token without the scope reads nothing hidden', async () => {
	const { token } = await makeToken(ada, { name: 'plain', scopes: ['read'], days: 7 })
	const [query, under] = [await queryOf(omar), await queryOf(nell)]
	const comment = await makeComment(omar, under, 'A hidden comment.')
	await decideCase(ada, { kind: 'query', name: String(query), act: 'hide' }, { why: 'A reason.' })
	await decideCase(ada, { kind: 'comment', name: String(comment), act: 'hide' }, { why: 'A reason.' })
	const read = async (key: string) => {
		const comments = await callApi('GET', `/queries/${under}/comments`, { token: key })
		const { status } = await callApi('GET', `/queries/${query}`, { token: key })
		return [status, (await comments.text()).includes('A hidden comment.')]
	}
	expect(await read(token)).toEqual([404, false])
	expect(await read(tokens.ada)).toEqual([200, true])
})

test('listing notifications by the API does not mark them as seen', async () => {
	await makeComment(omar, await queryOf(nell), 'Another answer.')
	const seen = () =>
		db()
			.selectFrom('notifications')
			.select(['id', 'seen_at', 'read_at'])
			.where('user_id', '=', nell.id)
			.orderBy('id')
			.execute()
	const before = await seen()
	const list = await callApi('GET', '/me/notifications?show=unread', { token: tokens.nell })
	const { rows } = (await list.json()) as { rows: { id: number }[] }
	expect(await seen()).toEqual(before)
	const [first] = rows
	const read = await callApi('POST', '/me/notifications/read', { token: tokens.nell, body: { ids: [first?.id] } })
	expect(await read.json()).toEqual({ unread: rows.length - 1 })
})

test.each(['listCases', 'getCase', 'judge', 'listLog'])('a token without the scope cannot %s', async (id) => {
	const operation = operations.find((one) => one.id === id)
	const path = (await prepared[id]?.()) ?? operation?.path ?? ''
	const scopes = ['read', 'write']
	const { token } = await makeToken(ada, { name: 'plain', scopes, days: 7 })
	const answer = await callApi(operation?.method.toUpperCase() ?? '', path, { token, body: operation?.example })
	expect(answer.status).toBe(403)
	expect(answer.headers.get('WWW-Authenticate')).toContain('scope="moderate"')
})
