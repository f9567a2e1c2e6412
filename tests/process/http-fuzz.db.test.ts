import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { operations } from '~/features/api/openapi.server.ts'
import { makeComment, makeQuestion } from '../factories/forum.ts'
import { useDatabase } from '../support/database.ts'
import { dataPath } from '../support/leaver-addresses.ts'
import { logInMember, type MembersSite, password, startOnTestDatabase } from '../support/members-site.ts'
import { oddRequests } from '../support/odd-requests.ts'
import { formRequest, type RawAnswer, type RawRequest, routePaths, sendRaw } from '../support/raw-http.ts'

useDatabase()

let site: MembersSite
let members: string[]

beforeAll(async () => {
	site = await startOnTestDatabase(undefined, { TRUST_PROXY: '1', LOG_LEVEL: 'error' })
	const mira = await logInMember(site, 'mira')
	const keeper = await logInMember(site, 'keeper', 'moderator')
	members = [mira.cookie, keeper.cookie]
	const { id } = await makeQuestion(mira.member)
	await makeComment(keeper.member, id)
})

afterAll(() => site?.stop())

/** Text that only an internal error would contain. */
const inside =
	/\n\s+at \S+ \(|node_modules|server-build|invalid byte sequence|syntax error at|violates|relation "|Failed query/

test('2,000 malformed requests to all routes and operations, as visitors and members, cause no server error and reveal no internals', async () => {
	const requests = oddRequests(2_000, 20_261_122, { members, origin: site.url })
	const failed: string[] = []
	const counts = new Map<number, number>()
	const sendAll = async (lane: RawRequest[]) => {
		for (const request of lane) {
			// Each from an address of its own, so that no rate limit shortens the test.
			const address = `10.${[0, 8, 16].map((bits) => (requests.indexOf(request) >> bits) & 255).join('.')}`
			const answer = await sendRaw(site.url, {
				...request,
				headers: { 'X-Forwarded-For': address, ...request.headers },
			})
			counts.set(answer.status, (counts.get(answer.status) ?? 0) + 1)
			if (answer.status >= 500 || inside.test(answer.body))
				failed.push(`${answer.status} ${JSON.stringify(request)} ${answer.body.slice(0, 200)}`)
		}
	}
	await Promise.all(Array.from({ length: 4 }, (_, lane) => sendAll(requests.filter((_, index) => index % 4 === lane))))
	expect(failed, site.output().slice(-3_000)).toEqual([])
	// The requests reached pages and errors of every kind, and members are still logged in.
	for (const status of [200, 404, 405, 415, 422])
		expect(counts.get(status), `answers with ${status}`).toBeGreaterThan(0)
	for (const cookie of members) expect((await site.ask('/settings', cookie)).status).toBe(200)
	// Standard error contains only the output of the start.
	expect(site.output().split('Press Ctrl-C to stop.')[1]?.trim()).toBe('')
})

describe('redirects', () => {
	const own = () => site.url
	const ask = (request: RawRequest) => sendRaw(site.url, { ...request, headers: { Origin: own(), ...request.headers } })
	const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
		ask(formRequest(path, fields, headers))
	const hairy = [
		...['//evil.example', '///evil.example', '/\\evil.example', '/.//evil.example', '/..//evil.example'],
		...['/%2e//evil.example', '/%2e%2e//evil.example', '/x/%2E%2e//evil.example', '/x/../..//evil.example'],
		...['/\t/evil.example', '/.//\\evil.example', 'https:evil.example', 'javascript:alert(1)', '/.//u@evil.example'],
		...['\u0000//evil.example', '/./\u0000/evil.example', '\\\\evil.example'],
	]
	const ways: [string, (to: string) => Promise<RawAnswer>][] = [
		[
			'the login page of a member',
			(to) => ask({ path: `/login?redirectTo=${encodeURIComponent(to)}`, headers: { Cookie: members[0] ?? '' } }),
		],
		[
			'the data of that page',
			(to) => ask({ path: `/login.data?redirectTo=${encodeURIComponent(to)}`, headers: { Cookie: members[0] ?? '' } }),
		],
		['the field of the theme', (to) => post('/theme', { theme: 'dark', redirectTo: to })],
		['the field of the theme, by script', (to) => post('/theme.data', { theme: 'dark', redirectTo: to })],
		['the Referer of the theme', (to) => post('/theme', { theme: 'dark' }, { Referer: `${own()}${printable(to)}` })],
		[
			'the Referer of a vote',
			(to) => post('/forum/vote', { query: '1', value: '1' }, { Referer: `${own()}${printable(to)}` }),
		],
		[
			'the page that notices were read on',
			(to) => post('/notifications', { intent: 'read-all', from: to }, { Cookie: members[0] ?? '' }),
		],
		[
			'a second parameter',
			(to) =>
				ask({
					path: `/login?redirectTo=/forum&redirectTo=${encodeURIComponent(to)}`,
					headers: { Cookie: members[0] ?? '' },
				}),
		],
	]
	const printable = (to: string) => (to.startsWith('/') ? to : `/${to}`).replace(/\p{Cc}/gu, '')

	test.each(ways)('%s redirects to this site only', async (_what, send) => {
		for (const to of hairy) {
			const answer = await send(to)
			expect(answer.status, to).toBeLessThan(500)
			expectInside(answer, to)
			// Client-side redirects are in the data, which may contain the target only as a parameter.
			if (answer.status === 202) expect(answer.body).not.toMatch(/"(\/\/|\/\\|[a-z]+:)[^"]*evil/)
		}
	})

	test('a login with the right password redirects to this site only', async () => {
		for (const to of ['/.//evil.example', '/%2e%2e//evil.example']) {
			const path = `/login?redirectTo=${encodeURIComponent(to)}`
			const answer = await post(path, { email: 'mira@campus.example', password })
			expect(answer.headers.location).toBe('/find-dev')
		}
	})

	test.each([
		...[
			'//evil.example',
			'//evil.example/%2e%2e',
			'//evil.example/%2e%2e/',
			'/%2e%2e//evil.example',
			'/.//evil.example/',
		],
		...[
			'/\\evil.example',
			'//evil.example/forum',
			'//evil.example/login',
			'/forum//evil.example/x/1',
			'//evil.example/..;/forum',
		],
		...[
			'/forum/others//evil.example/1',
			'/find-dev//evil.example',
			'/my-profile/%2f%2fevil.example',
			'/my-profile//evil.example',
		],
		...[
			'/edit-profile/%2f%2fevil.example',
			'/moderation//evil.example',
			'/settings//evil.example',
			'/.data//evil.example',
		],
		...['http://evil.example/settings', '/login/%0d%0aLocation:%20//evil.example'],
	])('the address %s leads nowhere else', async (path) => {
		for (const headers of [{}, { Cookie: members[0] ?? '' }] as Record<string, string>[]) {
			const answer = await ask({ path, headers })
			expect(answer.status).toBeLessThan(500)
			expectInside(answer, path)
		}
	})

	function expectInside({ headers }: RawAnswer, to: string): void {
		if (headers.location === undefined) return
		expect(new URL(headers.location, `${own()}/forum`).origin, `${to} → ${headers.location}`).toBe(own())
	}
})

describe('ids that no row can have, as PostgreSQL’s integers end at 2,147,483,647, name nothing, and are no fault of the site', () => {
	const ids = ['2147483648', '99999999999', '9'.repeat(40), '-1', '0', '1.5', 'NaN', '']
	let requests = 0
	let me = ''
	let cookie = ''

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

	/** The page itself for one id of each kind, and for the others its data, which have the same loaders and actions. */
	const addressOf = (path: string, id: string) => ([ids[0], 'NaN', ''].includes(id) ? path : (dataPath(path) ?? path))

	/** Too many requests would not reach what is tested. */
	const isWrong = (status: number) => status >= 500 || status === 429

	beforeAll(async () => {
		// Otherwise the addresses with this name would answer 404 before they look at an id.
		expect((await site.ask('/find-dev/mira', members[1] ?? '')).status).toBe(200)
	})

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
						const status = await statusOf(addressOf(path, id), method === 'POST' ? form : {})
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
		[
			'/forum/drafts',
			['madeFrom', 'version'],
			{ key: 'ask', title: 'A', description: '', tags: '', category: 'others' },
		],
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
		['/admin/webhooks/1', ['delivery'], { intent: 'again' }],
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
			const status = await statusOf(addressOf(path, id), {
				method: 'POST',
				body: new URLSearchParams({ ...others, ...sent }),
			})
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
})
