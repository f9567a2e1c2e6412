import { beforeAll, expect, test } from 'vitest'
import { editQuestion } from '~/features/asking/asking.server.ts'
import { editComment } from '~/features/discussion/commenting.server.ts'
import { castVote } from '~/features/discussion/votes.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { callApi } from '../../../tests/support/api-calls.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { mismatches } from '../../../tests/support/json-schema.ts'
import { openApiDocument } from './openapi.server.ts'

/* Edits that name the version they are based on. */

useDatabase()

let nell: SignedIn
let token: string

beforeAll(async () => {
	await startJobs()
	await stopJobs()
	nell = await makeMember('nell')
	token = (await makeToken(nell, { name: 'test', scopes: ['read', 'write'], days: 7 })).token
})

const elsewhere = { title: 'What another tab saved', description: 'First.', tags: 'testing', category: 'others' }

/** Reads a question as a client does, and returns a function that edits it. */
async function read() {
	const { id } = await makeQuestion(nell)
	const answer = await callApi('GET', `/queries/${id}`, { token })
	const { version } = (await answer.json()) as { version: number }
	const edit = (body: object, headers: Record<string, string> = {}) =>
		callApi('PATCH', `/queries/${id}`, { token, body, headers })
	return { id, version, tag: answer.headers.get('ETag') ?? '', edit }
}

test.each([
	['version', 409],
	['If-Match', 412],
] as const)('an edit of a stale %s is refused with %i, with both texts', async (way, status) => {
	const { id, version, tag, edit } = await read()
	await editQuestion(nell, id, elsewhere)
	const mine = { title: 'What this program wanted' }
	const answer = way === 'version' ? await edit({ ...mine, version }) : await edit(mine, { 'If-Match': tag })
	const told = await answer.json()
	expect([answer.status, answer.headers.get('Content-Type')]).toEqual([status, 'application/problem+json'])
	expect(told).toMatchObject({ stored: { ...elsewhere, version: version + 1 }, sent: mine })
	expect(mismatches(openApiDocument(), { $ref: '#/components/schemas/Problem' }, told)).toEqual([])
	expect(await (await callApi('GET', `/queries/${id}`)).json()).toMatchObject({ title: elsewhere.title })
})

test('an edit of the current version is saved, and returns the next ETag', async () => {
	const { version, tag, edit } = await read()
	const answer = await edit({ title: 'A title from this program' }, { 'If-Match': tag })
	expect([answer.status, answer.headers.get('ETag')]).toEqual([200, `W/"v${version + 1}"`])
	const next = { 'If-Match': answer.headers.get('ETag') ?? '' }
	expect((await edit({ title: 'And one more from it' }, next)).status).toBe(200)
	expect((await edit({ title: 'A third one, of no version' }, { 'If-Match': '*' })).status).toBe(200)
	expect((await edit({ title: 'A fourth one, of the last', version: version + 3 })).status).toBe(200)
})

test('a vote does not make an edit stale', async () => {
	const { id, tag, edit } = await read()
	await castVote(await makeMember('voter'), { questionId: id, commentId: null, vote: 1 })
	expect((await callApi('GET', `/queries/${id}`, { token })).headers.get('ETag')).not.toBe(tag)
	expect((await edit({ title: 'A title after the vote' }, { 'If-Match': tag })).status).toBe(200)
})

test('a foreign ETag matches nothing', async () => {
	const { edit } = await read()
	expect((await edit({ title: 'A title of any version' }, { 'If-Match': '"abc"' })).status).toBe(412)
})

test('repeating an edit saves it once, without an error', async () => {
	const { version, edit } = await read()
	const body = { title: 'A title that is sent twice', version }
	expect([(await edit(body)).status, (await edit(body)).status]).toEqual([200, 200])
})

test.each([
	['version', 409],
	['If-Match', 412],
] as const)('an edit of a comment of a stale %s is refused with %i, with both texts', async (way, status) => {
	const id = await makeComment(nell, (await makeQuestion(nell)).id, 'At first.')
	const read = await callApi('GET', `/comments/${id}`, { token })
	const { version } = (await read.json()) as { version: number }
	await editComment(nell, id, { body: 'From elsewhere.' })
	const edit = (body: object, headers: Record<string, string> = {}) =>
		callApi('PATCH', `/comments/${id}`, { token, body, headers })
	const mine = { body: 'From this program.' }
	const tag = { 'If-Match': read.headers.get('ETag') ?? '' }
	const answer = way === 'version' ? await edit({ ...mine, version }) : await edit(mine, tag)
	expect(answer.status).toBe(status)
	expect(await answer.json()).toMatchObject({ stored: { body: 'From elsewhere.', version: version + 1 }, sent: mine })
	const next = { 'If-Match': `W/"v${version + 1}"` }
	expect((await edit(mine, next)).status).toBe(200)
})
