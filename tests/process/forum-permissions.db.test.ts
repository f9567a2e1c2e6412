import { createHash } from 'node:crypto'
import { sql } from 'kysely'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { db } from '~/db/db.server.ts'
import { makeToken } from '~/features/accounts/tokens/tokens.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeComment, makeQuery } from '../factories/forum.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'

/* Who may do what in the forum, for every way in: pages, their `.data`, forms, the API by cookie and by token. */

useDatabase()

const people = ['anonymous', 'member', 'author', 'moderator', 'admin'] as const
type Who = (typeof people)[number]

let site: MembersSite
const cookies = { anonymous: '' } as Record<Who, string>
const members = {} as Record<Exclude<Who, 'anonymous'>, SignedIn>
/** By who owns it and what it may: `author:write`. */
const tokens: Record<string, string> = {}
let standing: { query: number; url: string; comment: number }

beforeAll(async () => {
	site = await startOnTestDatabase()
	for (const who of people.slice(1) as Exclude<Who, 'anonymous'>[]) {
		const role = who === 'moderator' || who === 'admin' ? who : 'member'
		const { member, cookie } = await logInMember(site, who, role)
		members[who] = member
		cookies[who] = cookie
		const sets = [['read'], ['write'], ...(role === 'member' ? [] : [['write', 'moderate']])]
		for (const scopes of sets)
			tokens[`${who}:${scopes.join('+')}`] = (await makeToken(member, { name: 'test', scopes, days: 7 })).token
	}
	standing = await makeTarget()
})

afterAll(() => site?.stop())

/** A query of the author with a comment of theirs. */
async function makeTarget() {
	const { id, url } = await makeQuery(members.author)
	return { query: id, url, comment: await makeComment(members.author, id) }
}

/** A text that differs when any row of the forum does. Counters of calls and uses of tokens are no part of the forum. */
async function forumHash(): Promise<string> {
	const tables = ['queries', 'comments', 'tags', 'query_tags', 'categories', 'counters', 'users', 'profiles']
	const rows = await Promise.all(
		tables.map((table) =>
			sql`select md5(coalesce(string_agg(t::text, '|' order by t::text), '')) as md5 from ${sql.table(table)} t`.execute(
				db(),
			),
		),
	)
	return createHash('sha256')
		.update(JSON.stringify(rows.map((one) => one.rows)))
		.digest('hex')
}

const texts = { title: 'A title that is long enough', description: 'Body.', tags: 'fresh', category: 'python' }

interface Write {
	name: string
	/** Who may: members all, or the owner of the text and those who keep order. */
	for: 'members' | 'owner'
	form: (target: typeof standing) => [path: string, fields: Record<string, string>]
	api: (target: typeof standing) => [method: string, path: string, body?: object]
}

const writes: Write[] = [
	{
		name: 'asking',
		for: 'members',
		form: () => ['/forum/ask', texts],
		api: () => ['POST', '/queries', texts],
	},
	{
		name: 'commenting',
		for: 'members',
		form: ({ url }) => [url, { intent: 'comment', body: 'A comment.' }],
		api: ({ query }) => ['POST', `/queries/${query}/comments`, { body: 'A comment.' }],
	},
	{
		name: 'replying',
		for: 'members',
		form: ({ url, comment }) => [url, { intent: 'reply', comment: String(comment), body: 'A reply.' }],
		api: ({ query, comment }) => ['POST', `/queries/${query}/comments`, { body: 'A reply.', parentId: comment }],
	},
	{
		name: 'editing a query',
		for: 'owner',
		form: ({ url }) => [url.replace(/^\/forum\/[^/]+/, '/forum/edit'), texts],
		api: ({ query }) => ['PATCH', `/queries/${query}`, texts],
	},
	{
		name: 'editing a comment',
		for: 'owner',
		form: ({ url, comment }) => [url, { intent: 'edit-comment', comment: String(comment), body: 'Changed.' }],
		api: ({ comment }) => ['PATCH', `/comments/${comment}`, { body: 'Changed.' }],
	},
	{
		name: 'deleting a comment',
		for: 'owner',
		form: ({ url, comment }) => [url, { intent: 'delete-comment', comment: String(comment) }],
		api: ({ comment }) => ['DELETE', `/comments/${comment}`],
	},
	{
		name: 'deleting a query',
		for: 'owner',
		form: ({ url }) => [url, { intent: 'delete-query' }],
		api: ({ query }) => ['DELETE', `/queries/${query}`],
	},
]

function callApi(path: string, init: RequestInit, headers: Record<string, string>): Promise<Response> {
	return fetch(`${site.url}/api/v1${path}`, { ...init, headers: { 'Content-Type': 'application/json', ...headers } })
}

/** Does it to a fresh text of the author if it is allowed, else to one that stands; compares every row before and after. */
async function attempt(allowed: boolean, send: (target: typeof standing) => Promise<Response>): Promise<string> {
	const target = allowed ? await makeTarget() : standing
	const before = await forumHash()
	const response = await send(target)
	const changed = (await forumHash()) !== before
	expect(changed, `${response.status} and rows ${changed ? 'changed' : 'as before'}`).toBe(allowed)
	const to = response.headers.get('Location') ?? (response.status === 202 ? await response.text() : '')
	return to.includes('/login?redirectTo=') ? 'login' : response.status < 400 ? 'done' : String(response.status)
}

const mayAll = (who: Who, write: Write) => who !== 'anonymous' && (write.for === 'members' || who !== 'member')
const cells = people.flatMap((who) => writes.map((write) => [write.name, who, write] as const))

describe('forms', () => {
	const ways = cells.flatMap(([name, who, write]) => ['', '.data'].map((way) => [name, who, way, write] as const))

	test.each(ways)('%s by %s (%s)', async (_name, who, way, write) => {
		const allowed = mayAll(who, write)
		const outcome = await attempt(allowed, (target) => {
			const [path, fields] = write.form(target)
			return site.ask(path + way, cookies[who], fields)
		})
		expect(outcome).toBe(allowed ? 'done' : who === 'anonymous' ? 'login' : '403')
	})
})

describe('the API', () => {
	test.each(cells)('%s by %s with cookies', async (_name, who, write) => {
		const allowed = mayAll(who, write)
		const outcome = await attempt(allowed, (target) => {
			const [method, path, body] = write.api(target)
			return callApi(path, { method, ...(body && { body: JSON.stringify(body) }) }, { Cookie: cookies[who] })
		})
		expect(outcome).toBe(allowed ? 'done' : who === 'anonymous' ? '401' : '403')
	})

	const keys = people.slice(1).flatMap((who) => {
		const sets = who === 'moderator' || who === 'admin' ? ['read', 'write', 'write+moderate'] : ['read', 'write']
		return sets.flatMap((scopes) => writes.map((write) => [write.name, who, scopes, write] as const))
	})

	test.each(keys)('%s by %s with a token that may %s', async (_name, who, scopes, write) => {
		const own = who === 'author' || write.for === 'members'
		const allowed = scopes.includes('write') && (own || scopes.includes('moderate'))
		const outcome = await attempt(allowed, (target) => {
			const [method, path, body] = write.api(target)
			const headers = { Authorization: `Bearer ${tokens[`${who}:${scopes}`]}` }
			return callApi(path, { method, ...(body && { body: JSON.stringify(body) }) }, headers)
		})
		expect(outcome).toBe(allowed ? 'done' : '403')
	})
})

describe('what nobody may', () => {
	const foreign = { Origin: 'https://elsewhere.example' }

	test.each(writes.map((write) => [write.name, write] as const))(
		'%s from a page of another site',
		async (_name, write) => {
			const outcome = async (send: (target: typeof standing) => Promise<Response>) => attempt(false, send)
			const [method, path, body] = write.api(standing)
			const init = { method, ...(body && { body: JSON.stringify(body) }) }
			expect(await outcome(() => callApi(path, init, { ...foreign, Cookie: cookies.author }))).toBe('403')
			expect(
				await outcome(() => callApi(path, init, { ...foreign, Authorization: `Bearer ${tokens['author:write']}` })),
			).toBe('403')
			const [page, fields] = write.form(standing)
			const sent = { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' as const }
			expect(
				await outcome(() => fetch(site.url + page, { ...sent, headers: { ...foreign, Cookie: cookies.author } })),
			).toBe('403')
		},
	)

	test.each(writes.map((write) => [write.name, write] as const))(
		'%s through a page with a token',
		async (_name, write) => {
			const [page, fields] = write.form(standing)
			const headers = { Authorization: `Bearer ${tokens['author:write']}` }
			const sent = { method: 'POST', body: new URLSearchParams(fields), redirect: 'manual' as const, headers }
			expect(await attempt(false, () => fetch(site.url + page, sent))).toBe('login')
		},
	)

	test.each(['/settings', '/settings/tokens', '/my-profile/author', '/api/auth/get-session'])(
		'a token opens no %s',
		async (path) => {
			const headers = { Authorization: `Bearer ${tokens['author:read']}` }
			const answer = await fetch(site.url + path, { headers, redirect: 'manual' })
			expect([302, 200]).toContain(answer.status)
			if (answer.status === 302) expect(answer.headers.get('Location')).toContain('/login')
			else expect(await answer.text()).toBe('null')
		},
	)
})

describe('reading', () => {
	const pages = ['/forum', '/forum/category/others', '/forum/tag/testing', '/forum/tags', '/forum?q=question', 'query']
	const ways = pages.flatMap((page) => people.map((who) => [page, who] as const))

	test.each(ways)('%s is open to %s, and its data', async (page, who) => {
		const path = page === 'query' ? standing.url : page
		for (const address of [path, path.replace(/(\?|$)/, '.data$1')])
			expect((await site.ask(address, cookies[who])).status).toBe(200)
	})

	const edits: [Who, string][] = [
		['anonymous', 'login'],
		['member', '403'],
		['author', '200'],
		['moderator', '200'],
		['admin', '200'],
	]
	test.each(edits)('the edit page answers %s with %s', async (who, expected) => {
		const answer = await site.ask(standing.url.replace(/^\/forum\/[^/]+/, '/forum/edit'), cookies[who])
		const login = answer.headers.get('Location')?.startsWith('/login')
		expect(login ? 'login' : String(answer.status)).toBe(expected)
	})

	test.each(people)('the API tells %s the markdown of a comment only if they may edit it', async (who) => {
		const answer = await callApi(`/comments/${standing.comment}`, {}, { Cookie: cookies[who] })
		const { body, mayEdit } = (await answer.json()) as { body: string | null; mayEdit: boolean }
		const may = who !== 'anonymous' && who !== 'member'
		expect([body !== null, mayEdit]).toEqual([may, may])
	})
})

describe('mass assignment', () => {
	/** Columns that a write may change, by table; everything else must stay as it was or take its default. */
	const owned = new Set(
		'title description description_html excerpt tags category_id body body_html edited_at active_at search comment_count'.split(
			' ',
		),
	)

	async function harmful(): Promise<Record<string, string>> {
		const { rows } = await sql<{ column: string; type: string }>`
			select column_name as "column", data_type as type from information_schema.columns
			where table_schema = 'public' and table_name in ('queries', 'comments', 'users', 'tags', 'categories')`.execute(
			db(),
		)
		return Object.fromEntries(
			rows.map(({ column, type }) => {
				if (column === 'author_id') return [column, String(members.member.id)]
				if (column === 'role') return [column, 'admin']
				return [column, type === 'boolean' ? 'true' : /int/.test(type) ? '7' : /time/.test(type) ? '2001-01-01' : 'x']
			}),
		)
	}

	async function rowOf(table: 'queries' | 'comments', id: number): Promise<Record<string, unknown>> {
		const { rows } = await sql<{ row: Record<string, unknown> }>`
			select to_jsonb(t) as row from ${sql.table(table)} t where id = ${id}`.execute(db())
		return Object.fromEntries(Object.entries(rows[0]?.row ?? {}).filter(([column]) => !owned.has(column)))
	}

	test('a form that changes a query or a comment changes nothing else of it', async () => {
		const target = await makeTarget()
		const before = [await rowOf('queries', target.query), await rowOf('comments', target.comment)]
		for (const name of ['editing a query', 'editing a comment']) {
			const [path, fields] = writes.find((write) => write.name === name)?.form(target) ?? ['', {}]
			expect((await site.ask(path, cookies.author, { ...(await harmful()), ...fields })).status).toBe(303)
		}
		expect([await rowOf('queries', target.query), await rowOf('comments', target.comment)]).toEqual(before)
	})

	test('a form that makes a query or a comment chooses neither author, nor time, nor score', async () => {
		for (const [table, name] of [
			['queries', 'asking'],
			['comments', 'commenting'],
		] as const) {
			const [path, fields] = writes.find((write) => write.name === name)?.form(await makeTarget()) ?? ['', {}]
			expect((await site.ask(path, cookies.author, { ...(await harmful()), ...fields })).status).toBe(303)
			const newest = await db()
				.selectFrom(table)
				.select(['author_id', 'score', 'created_at', 'deleted_at', 'source_id'])
				.orderBy('id', 'desc')
				.executeTakeFirstOrThrow()
			expect(newest).toMatchObject({ author_id: members.author.id, score: 0, deleted_at: null, source_id: null })
			expect(newest.created_at.getFullYear()).toBeGreaterThan(2001)
		}
	})

	test('the API refuses every field that is not its own, and changes nothing', async () => {
		for (const write of writes) {
			const [method, path, body] = write.api(standing)
			if (!body) continue
			const sent = JSON.stringify({ ...(await harmful()), ...body })
			const outcome = await attempt(false, () => callApi(path, { method, body: sent }, { Cookie: cookies.admin }))
			expect(outcome, write.name).toBe('422')
		}
	})
})
