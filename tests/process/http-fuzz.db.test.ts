import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { makeComment, makeQuestion } from '../factories/forum.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, password, startOnTestDatabase } from '../support/members-site.ts'
import { oddRequests } from '../support/odd-requests.ts'
import { formRequest, type RawAnswer, type RawRequest, sendRaw } from '../support/raw-http.ts'

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
