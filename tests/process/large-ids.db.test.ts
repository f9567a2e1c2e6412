import { afterAll, beforeAll, expect, test } from 'vitest'
import { operations } from '~/features/api/openapi.server.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { routePaths } from '../support/raw-http.ts'

/* Ids that no row can have, as PostgreSQL's integers end at 2,147,483,647: they name nothing, and are no fault of the site. */

useDatabase()

const ids = ['2147483648', '99999999999', '9'.repeat(40), '-1', '0', '1.5', 'NaN', '']

let site: MembersSite
let me = ''
let cookie = ''

beforeAll(async () => {
	site = await startOnTestDatabase(undefined, { TRUST_PROXY: '1' })
	await logInMember(site, 'mira')
})

afterAll(() => site?.stop())

let requests = 0

/** Each request is from an address of its own, and few are from one admin, so that no rate limit shortens the test. */
async function statusOf(path: string, init: RequestInit = {}): Promise<number> {
	if (requests % 50 === 0) {
		me = `keeper-${requests}`
		cookie = (await logInMember(site, me, 'admin')).cookie
	}
	requests += 1
	const from = { 'X-Forwarded-For': `10.1.${requests >> 8}.${requests & 255}`, Origin: site.url, Cookie: cookie }
	const answer = await fetch(site.url + path.replace('{me}', me), {
		redirect: 'manual',
		...init,
		headers: { ...from, ...init.headers },
	})
	await answer.arrayBuffer()
	return answer.status
}

/** Too many requests would not reach what is tested. */
const isWrong = (status: number) => status >= 500 || status === 429

const named: Record<string, string> = { username: 'mira', category: 'others', slug: 'others', section: 'front-page' }

test('a page whose address has such an id is no server error', async () => {
	const failed: string[] = []
	for (const pattern of routePaths().filter((path) => /:(id|kind)/.test(path)))
		for (const kind of pattern.includes(':kind') ? ['query', 'comment', 'profile', 'conversation', 'terms'] : [''])
			for (const id of ids.filter(Boolean)) {
				const path = pattern.replace(/:(\w+)\??/g, (_, name) => ({ ...named, id, kind })[name as string] ?? id)
				const intent = path.startsWith('/moderation/') ? 'hide' : 'save'
				for (const method of ['GET', 'POST']) {
					const form = { method, body: new URLSearchParams({ intent, why: 'Spam.' }) }
					const status = await statusOf(path, method === 'POST' ? form : {})
					if (isWrong(status)) failed.push(`${status} ${method} ${path}`)
				}
			}
	expect(failed).toEqual([])
}, 120_000)

/** Forms with ids: the address, where `{me}` is who sends it, the names of their ids, and the other fields. */
const forms: [path: string, ids: string[], fields: Record<string, string>][] = [
	['/notifications', ['id'], {}],
	['/settings?index', ['session'], { intent: 'revoke' }],
	['/settings', ['session'], { intent: 'revoke' }],
	['/settings/tokens', ['token'], { intent: 'revoke' }],
	['/settings/passkeys', ['id'], { intent: 'remove' }],
	['/settings/passkeys', ['id'], { intent: 'rename', name: 'Mine' }],
	['/settings/logins', ['unlink'], {}],
	...['note', 'remove', 'restore'].flatMap((intent): typeof forms => [
		['/bookmarks', ['id'], { intent, kind: 'query' }],
		['/bookmarks', ['id'], { intent, kind: 'comment' }],
	]),
	['/forum/bookmark', ['id'], { kind: 'comment', value: '1' }],
	...['decline', 'accept'].map((intent): (typeof forms)[number] => ['/answer', ['query'], { intent }]),
	...['save', 'restore', 'remove'].map((intent): (typeof forms)[number] => [
		'/following',
		['id', 'query', 'tag'],
		{ intent, name: 'Mine' },
	]),
	['/forum/vote', ['query', 'comment'], { value: '1' }],
	['/forum/vote', ['value'], { query: '1' }],
	['/forum/following', ['query'], { what: 'too', value: '1' }],
	['/forum/following', ['query'], { what: 'follow', value: '1' }],
	['/forum/outdated', ['comment'], { value: '1', reason: 'newer' }],
	['/forum/ask', ['version'], { title: 'A title', description: 'A text', tags: 'testing', category: 'others' }],
	['/forum/drafts', ['madeFrom', 'version'], { key: 'ask', title: 'A', description: '', tags: '', category: 'others' }],
	['/forum/drafts', ['version'], { key: 'edit:99999999', title: 'A', description: '', tags: '', category: 'others' }],
	['/suggest/similar', ['query'], {}],
	...['edit', 'delete', 'report', 'seen', 'send'].map((intent): (typeof forms)[number] => [
		'/messages/mira',
		['id', 'upTo'],
		{ intent, body: 'Hi', reason: 'spam', clientId: '00000000-0000-4000-8000-000000000000' },
	]),
	['/moderation/account/mira', ['id'], { intent: 'undo', why: 'Wrong.' }],
	['/admin/settings/front-page', ['id'], { intent: 'undo' }],
	['/admin/settings/front-page', ['version'], { intent: 'save' }],
	['/admin/categories', ['id'], { intent: 'up' }],
	['/admin/categories/1', ['version'], { intent: 'save', title: 'Others', slug: 'others' }],
	['/admin/invitations', ['id'], { intent: 'revoke' }],
	['/admin/leavers', ['id'], { intent: 'take-back' }],
	['/admin/leavers', ['check'], { intent: 'ignore' }],
	['/admin/leavers', ['ids'], { intent: 'mark' }],
	['/admin/bulk', ['ids', 'id', 'member'], { act: 'suspend', why: 'Spam.', time: '1 day' }],
	['/admin/members.csv', ['ids', 'id'], { choose: '1' }],
	['/admin/legal/terms', ['version'], { intent: 'publish', body: 'Be kind.' }],
	['/terms/accept', ['version'], { intent: 'accept' }],
	['/edit-profile/{me}/projects', ['item', 'id', 'version'], { intent: 'delete', title: 'A' }],
	['/edit-profile/{me}/certificates', ['item', 'id', 'version'], { intent: 'delete', title: 'A' }],
	['/edit-profile/{me}/projects', ['item', 'version'], { title: 'A' }],
	['/edit-profile/{me}?index', ['version'], { name: 'A keeper' }],
]

test.each(forms)('a form at %s with such an id in %j, and %j, is no server error', async (path, fields, others) => {
	const failed: string[] = []
	for (const id of ids) {
		const sent = Object.fromEntries(fields.map((field) => [field, id]))
		const status = await statusOf(path, { method: 'POST', body: new URLSearchParams({ ...others, ...sent }) })
		if (isWrong(status)) failed.push(`${status} ${id}`)
	}
	expect(failed, site.output().slice(-2_000)).toEqual([])
})

/** A body with each number, and each text of digits, replaced. */
function withNumber(body: unknown, number: number): unknown {
	if (typeof body === 'number') return number
	if (Array.isArray(body)) return body.map((each) => withNumber(each, number))
	if (typeof body !== 'object' || body === null) return body
	return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, withNumber(value, number)]))
}

test('an operation of the API with such an id in its address, its body or its query string is no server error', async () => {
	const failed: string[] = []
	for (const { method, path, example, query } of operations)
		for (const id of ids.filter(Boolean)) {
			const address = path
				.replace('{kind}', 'query')
				.replace('{key}', `edit:${id}`)
				.replace(/\{\w+\}/g, id)
			const asked = new URLSearchParams(Object.keys(query).map((name) => [name, id]))
			const hasBody = method !== 'get' && example !== undefined
			const status = await statusOf(`/api/v1${address}${asked.size > 0 ? `?${asked}` : ''}`, {
				method: method.toUpperCase(),
				...(hasBody && {
					body: JSON.stringify(withNumber(example, Number(id))),
					headers: { 'Content-Type': 'application/json' },
				}),
			})
			if (isWrong(status)) failed.push(`${status} ${method} ${address}`)
		}
	expect(failed).toEqual([])
}, 120_000)
