import { beforeAll, describe, expect, test } from 'vitest'
import { changedQuestion } from '~/features/questions/questions.api.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { makeComment, makeMember, makeQuestion } from '../../../tests/factories/forum.ts'
import { type ApiCall, callApi as call } from '../../../tests/support/api-calls.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { mismatches, resolve } from '../../../tests/support/json-schema.ts'
import { openApiDocument, operations } from './openapi.server.ts'

useDatabase()

let nell: SignedIn
const tokens = { all: '', read: '', write: '' }
let questionId: number
let commentId: number

beforeAll(async () => {
	await startJobs()
	await stopJobs()
	nell = await makeMember('nell')
	const named = async (scopes: string[]) => (await makeToken(nell, { name: 'test', scopes, days: 7 })).token
	Object.assign(tokens, {
		all: await named(['read', 'write']),
		read: await named(['read']),
		write: await named(['write']),
	})
	questionId = (await makeQuestion(nell)).id
	commentId = await makeComment(nell, questionId)
	await makeComment(nell, questionId, 'And so.', commentId)
})

describe('the description', () => {
	const document = () => openApiDocument()

	test('resolves every reference, describes every path parameter, and has unique names', () => {
		const text = JSON.stringify(document())
		for (const [, ref] of text.matchAll(/"\$ref":"([^"]+)"/g))
			expect(() => resolve(document(), ref ?? '')).not.toThrow()
		const described = Object.entries(document().paths).flatMap(([path, methods]) =>
			Object.values(methods).map((operation) => ({ path, operation })),
		)
		expect(described).toHaveLength(operations.length)
		expect(new Set(described.map(({ operation }) => operation.operationId)).size).toBe(operations.length)
		for (const { path, operation } of described) {
			const named = operation.parameters.filter((one) => one.in === 'path').map(({ name }) => name)
			expect(named).toEqual([...path.matchAll(/\{(\w+)\}/g)].map((match) => match[1]))
			expect(operation.parameters.every((one) => one.in !== 'path' || one.required)).toBe(true)
			expect(Object.keys(operation.responses).some((status) => status.startsWith('2'))).toBe(true)
		}
		expect(text).not.toMatch(/"\$(id|schema|defs)"|__shared/)
	})

	test('every schema of inputs and outputs has a name', () => {
		const contents = Object.values(document().paths)
			.flatMap((methods) => Object.values(methods))
			.flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)])
			.flatMap((part) => Object.values(part?.content ?? {}))
		expect(contents.filter(({ schema }) => !schema.$ref)).toEqual([])
	})

	test('the schema of a comment is recursive', () => {
		expect(document().components.schemas.Comment?.properties?.replies).toEqual({
			type: 'array',
			items: { $ref: '#/components/schemas/Comment' },
		})
	})

	test('contains the limits of the forms', () => {
		expect(document().components.schemas.NewQuery?.properties?.title).toMatchObject({ minLength: 8, maxLength: 200 })
		expect(changedQuestion.safeParse({ title: 'Too few' }).success).toBe(false)
	})

	test.each([
		['one tag too many to follow', '/tags/{name}/following', 'put', '422'],
		['one query too many to mute', '/queries/{id}/muting', 'put', '422'],
		['one member too many to block', '/me/blocks/{username}', 'put', '422'],
		['deleting a query that a moderator has just decided', '/queries/{id}', 'delete', '409'],
		['deleting a comment that a moderator has just decided', '/comments/{id}', 'delete', '409'],
	])('names the refusal of %s', (_, path, method, status) => {
		expect(Object.keys(document().paths[path]?.[method]?.responses ?? {})).toContain(status)
	})

	test('is served as JSON with an ETag and CORS', async () => {
		const answer = await call('GET', '/openapi.json', { headers: { Origin: 'https://elsewhere.example' } })
		expect(await answer.json()).toEqual(JSON.parse(JSON.stringify(document())))
		expect(answer.headers.get('Access-Control-Allow-Origin')).toBe('*')
		expect(answer.headers.get('ETag')).toMatch(/^W\//)
	})

	test('can be asked for conditionally by pages of other sites, and with no other method', async () => {
		const headers = { Origin: 'https://elsewhere.example', 'Access-Control-Request-Headers': 'if-none-match' }
		const asked = await call('OPTIONS', '/openapi.json', { headers })
		expect([asked.status, asked.headers.get('Access-Control-Allow-Headers')]).toEqual([
			204,
			'Authorization, If-None-Match',
		])
		const posted = await call('POST', '/openapi.json', { body: {} })
		expect([posted.status, posted.headers.get('Allow')]).toEqual([405, 'GET, HEAD, OPTIONS'])
	})
})

describe('errors', () => {
	const good = { title: 'A title that is long enough', description: 'Body', tags: 'one', category: 'others' }
	const table: [what: string, method: string, path: string, asked: () => ApiCall, status: number, says: object][] = [
		['an unknown address', 'GET', '/nothing', () => ({}), 404, {}],
		['an id that is none', 'GET', '/queries/one', () => ({}), 404, {}],
		['an id beyond all integers', 'GET', '/queries/99999999999', () => ({}), 404, {}],
		['a category with a NUL', 'GET', '/categories/a%00b', () => ({}), 404, {}],
		['a limit too high', 'GET', '/queries?limit=51', () => ({}), 422, { errors: { limit: expect.any(String) } }],
		['a limit that is none', 'GET', '/tags?limit=x', () => ({}), 422, { errors: { limit: 'Send a whole number.' } }],
		['a limit with a part', 'GET', '/tags?limit=1.5', () => ({}), 422, { detail: 'Send a whole number.' }],
		['a cursor that is none', 'GET', '/queries?cursor=abc', () => ({}), 422, {}],
		['another method', 'PUT', '/queries', () => ({}), 405, {}],
		['nobody', 'POST', '/queries', () => ({ body: good }), 401, {}],
		['a token that is none', 'GET', '/queries', () => ({ token: 'dq_wrong' }), 401, {}],
		['another kind of login', 'GET', '/me', () => ({ headers: { Authorization: 'Basic bmVsbA==' } }), 401, {}],
		['a token that only reads', 'POST', '/queries', () => ({ token: tokens.read, body: good }), 403, {}],
		['a token that only writes', 'GET', '/queries', () => ({ token: tokens.write }), 403, {}],
		[
			'a form',
			'POST',
			'/queries',
			() => ({ token: tokens.all, body: 'title=x', headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
			415,
			{},
		],
		['half a JSON', 'POST', '/queries', () => ({ token: tokens.all, body: '{"title":' }), 400, {}],
		['no object', 'POST', '/queries', () => ({ token: tokens.all, body: '[]' }), 422, {}],
		[
			'short texts',
			'POST',
			'/queries',
			() => ({ token: tokens.all, body: { ...good, title: 'Short', tags: [] } }),
			422,
			{ errors: { title: expect.any(String), tags: expect.any(String) } },
		],
		[
			'an unknown field',
			'POST',
			'/queries',
			() => ({ token: tokens.all, body: { ...good, author_id: 1 } }),
			422,
			{ errors: { author_id: 'There is no such field.' } },
		],
		[
			'an unknown category',
			'POST',
			'/queries',
			() => ({ token: tokens.all, body: { ...good, category: 'x' } }),
			422,
			{},
		],
		[
			'a category with a NUL',
			'POST',
			'/queries',
			() => ({ token: tokens.all, body: { ...good, category: 'a\0b' } }),
			422,
			{},
		],
		[
			'a parent elsewhere',
			'POST',
			'/queries/1/comments',
			() => ({ token: tokens.all, body: { body: 'x', parentId: 2_000_000_000 } }),
			404,
			{},
		],
	]

	test.each(table)('%s (%s %s) is a problem response', async (_what, method, path, asked, status, says) => {
		const answer = await call(method, path.replace('/queries/1/', `/queries/${questionId}/`), asked())
		const told = await answer.json()
		expect([answer.status, answer.headers.get('Content-Type')]).toEqual([status, 'application/problem+json'])
		expect(told).toMatchObject({
			type: 'about:blank',
			title: expect.any(String),
			status,
			detail: expect.any(String),
			...says,
		})
		expect(mismatches(openApiDocument(), { $ref: '#/components/schemas/Problem' }, told)).toEqual([])
		if (status === 401) expect(answer.headers.get('WWW-Authenticate')).toMatch(/^Bearer/)
		if (status === 405) expect(answer.headers.get('Allow')).toBe('GET, HEAD, POST, OPTIONS')
	})
})

describe('reading', () => {
	test('pages of a list are complete, by cursor and by link', async () => {
		for (let count = 0; count < 5; count += 1) await makeQuestion(nell, { tags: 'paged' })
		const seen: number[] = []
		let path = '/queries?tag=paged&limit=2'
		for (let page = 0; page < 3; page += 1) {
			const answer = await call('GET', path)
			const { rows, next } = (await answer.json()) as { rows: { id: number }[]; next: string | null }
			seen.push(...rows.map(({ id }) => id))
			const link = /<http:\/\/localhost\/api\/v1([^>]+)>; rel="next"/.exec(answer.headers.get('Link') ?? '')?.[1]
			expect(new URLSearchParams(link?.split('?')[1]).get('cursor')).toBe(next)
			path = link ?? ''
		}
		expect(path).toBe('')
		expect(new Set(seen).size).toBe(5)
	})

	test('answers 304 for an unchanged resource only', async () => {
		const path = `/queries/${questionId}`
		const tag = (await call('GET', path)).headers.get('ETag') ?? ''
		const known = await call('GET', path, { headers: { 'If-None-Match': `"other", ${tag}` } })
		expect([known.status, await known.text()]).toEqual([304, ''])
		await call('PATCH', path, { token: tokens.all, body: { title: 'Another title than before' } })
		expect((await call('GET', path, { headers: { 'If-None-Match': tag } })).status).toBe(200)
	})

	test('HEAD has the headers of GET without a body', async () => {
		const [got, head] = [await call('GET', '/categories'), await call('HEAD', '/categories')]
		expect([head.status, head.headers.get('ETag'), await head.text()]).toEqual([200, got.headers.get('ETag'), ''])
	})

	test('other origins may only read', async () => {
		const headers = { Origin: 'https://elsewhere.example' }
		const asked = await call('OPTIONS', '/queries', { headers })
		expect([asked.status, asked.headers.get('Allow')]).toEqual([204, 'GET, HEAD, POST, OPTIONS'])
		expect(asked.headers.get('Access-Control-Allow-Methods')).toBe('GET, HEAD')
		const read = await call('GET', '/queries', { headers })
		expect(read.headers.get('Access-Control-Allow-Origin')).toBe('*')
		expect(read.headers.has('Access-Control-Allow-Credentials')).toBe(false)
		const wrote = await call('POST', `/queries/${questionId}/comments`, {
			token: tokens.all,
			body: { body: 'Hi' },
			headers,
		})
		expect(wrote.headers.has('Access-Control-Allow-Origin')).toBe(false)
	})
})

test('omitted fields are unchanged', async () => {
	const { id } = await makeQuestion(nell, { tags: 'alpha,beta', category: 'python' })
	const answer = await call('PATCH', `/queries/${id}`, { token: tokens.all, body: { description: 'Now *this*.' } })
	expect(await answer.json()).toMatchObject({
		description: 'Now *this*.',
		tags: ['alpha', 'beta'],
		category: { slug: 'python' },
		editedAt: expect.any(String),
	})
})

test('a reply is added below its comment', async () => {
	const answer = await call('POST', `/queries/${questionId}/comments`, {
		token: tokens.all,
		body: { body: 'Indeed.', parentId: commentId },
	})
	const reply = (await answer.json()) as { id: number; depth: number }
	expect([answer.status, reply.depth]).toEqual([201, 1])
	const parent = (await (await call('GET', `/comments/${commentId}`)).json()) as { replies: { id: number }[] }
	expect(parent.replies.map(({ id }) => id)).toContain(reply.id)
})

test('every response has the remaining quota; beyond the limit comes 429 with the time to wait', async () => {
	const busy = await makeMember('busy')
	const { token } = await makeToken(busy, { name: 'test', scopes: ['write'], days: 7 })
	const write = () => call('DELETE', '/comments/2000000000', { token })
	const first = await write()
	expect(first.headers.get('RateLimit-Policy')).toBe('"write";q=60;w=60')
	expect(first.headers.get('RateLimit')).toMatch(/^"write";r=59;t=\d+$/)
	const others = await Promise.all(Array.from({ length: 60 }, write))
	const refused = others.filter(({ status }) => status === 429)
	expect(refused).toHaveLength(1)
	expect(Number(refused[0]?.headers.get('Retry-After'))).toBeGreaterThan(0)
	expect(refused[0]?.headers.get('RateLimit')).toMatch(/^"write";r=0;/)
})
