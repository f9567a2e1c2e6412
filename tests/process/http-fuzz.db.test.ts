import { afterAll, beforeAll, expect, test } from 'vitest'
import { makeComment, makeQuery } from '../factories/forum.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'
import { oddRequests } from '../support/odd-requests.ts'
import { type RawRequest, sendRaw } from '../support/raw-http.ts'

useDatabase()

let site: MembersSite
let members: string[]

beforeAll(async () => {
	site = await startOnTestDatabase(undefined, { TRUST_PROXY: '1', LOG_LEVEL: 'error' })
	const mira = await logInMember(site, 'mira')
	const keeper = await logInMember(site, 'keeper', 'moderator')
	members = [mira.cookie, keeper.cookie]
	const { id } = await makeQuery(mira.member)
	await makeComment(keeper.member, id)
}, 60_000)

afterAll(() => site?.stop())

/** What only a failure of ours would say. */
const inside =
	/\n\s+at \S+ \(|node_modules|server-build|invalid byte sequence|syntax error at|violates|relation "|Failed query/

test('2,000 odd requests to all routes and operations, as visitors and members: none fails on our side, none tells how we work', async () => {
	const requests = oddRequests(2_000, 20_261_122, { members, origin: site.url })
	const failed: string[] = []
	const counts = new Map<number, number>()
	const sendAll = async (lane: RawRequest[]) => {
		for (const request of lane) {
			// Each from an address of its own, so that no limit for one spares the rest the work.
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
	// The requests got somewhere: pages, refusals of every kind, and members who are still logged in.
	for (const status of [200, 404, 405, 415, 422])
		expect(counts.get(status), `answers with ${status}`).toBeGreaterThan(0)
	for (const cookie of members) expect((await site.ask('/settings', cookie)).status).toBe(200)
	// Nothing is said on standard error but what the start says.
	expect(site.output().split('Press Ctrl-C to stop.')[1]?.trim()).toBe('')
}, 240_000)
