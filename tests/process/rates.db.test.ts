import { sql } from 'kysely'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { usageLimits } from '~/features/rate-limits/limits.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../factories/forum.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, type MembersSite, startOnTestDatabase } from '../support/members-site.ts'

/* Responses to exceeded read limits. The limits themselves are tested in features/rate-limits/rate-limits.db.test.ts. */

useDatabase()

let site: MembersSite
let member: SignedIn
let cookie = ''

beforeAll(async () => {
	site = await startOnTestDatabase(undefined, { TRUST_PROXY: '1' })
	;({ member, cookie } = await logInMember(site, 'reader'))
	await makeMember('author')
})

afterAll(() => site?.stop())

const from = (address: string, path: string) =>
	fetch(site.url + path, { redirect: 'manual', headers: { 'X-Forwarded-For': address } })

async function expectRefused(answer: Response, words: string, seconds: number): Promise<void> {
	expect(answer.status).toBe(429)
	const pause = Number(answer.headers.get('Retry-After'))
	expect(pause).toBeGreaterThan(0)
	expect(pause).toBeLessThanOrEqual(seconds)
	expect(await answer.text()).toContain(words)
}

test('page views of one address are limited; cached pages and other addresses are not affected', async () => {
	const [flood, other] = ['203.0.113.9', '203.0.113.10']
	expect((await from(other, '/forum')).status).toBe(200)
	const statuses = new Map<number, number>()
	const most = usageLimits.pages.address
	const visit = async () => {
		const { status } = await from(flood, '/login.data')
		statuses.set(status, (statuses.get(status) ?? 0) + 1)
	}
	for (let sent = 0; sent < most + 20; sent += 20) await Promise.all(Array.from({ length: 20 }, visit))
	expect(Object.fromEntries(statuses)).toEqual({ 200: most, 429: 20 })
	const words = 'You opened many pages in a short time. Wait a minute, then try again.'
	// The last ones only look like addresses that are no pages.
	for (const path of ['/login', '/login.data', '/find-dev', '/forum?q=never+asked', '/suggest/none', '/none/latest'])
		await expectRefused(await from(flood, path), words, 60)
	await expectRefused(await from(flood, '/api/v1/openapi.json'), words, 60)
	expect((await from(other, '/api/v1/openapi.json')).status).toBe(200)
	expect((await from(flood, '/forum')).status).toBe(200)
	for (const path of ['/login', '/forum?q=never+asked']) expect((await from(other, path)).status).toBe(200)
})

test('too many searches for people are refused, on the page and its data', async () => {
	expect((await site.ask('/find-dev', cookie)).status).toBe(200)
	for (let time = 0; time < usageLimits.peopleSearch.member; time += 1)
		expect((await site.ask(`/find-dev${time % 2 ? '.data' : ''}?q=a${time}`, cookie)).status).toBe(200)
	const words = 'You searched for people many times in a short time. Wait a minute, then try again.'
	for (const path of ['/find-dev?q=b', '/find-dev.data?q=b', '/find-dev?year=2', '/find-dev?cursor=x'])
		await expectRefused(await site.ask(path, cookie), words, 60)
	expect((await site.ask('/find-dev', cookie)).status).toBe(200)
})

test('a member who opened a thousand profiles is refused further ones, by page, data and JSON, except their own', async () => {
	expect((await site.ask('/find-dev/author', cookie)).status).toBe(200)
	await sql`update rate_limits set points = ${usageLimits.profiles.member}, expire = ${Date.now() + 290_000}
		where key = ${`rate:profiles:member:${member.id}`}`.execute(db())
	// Uses up the rest of the process's block.
	for (let time = 1; time < usageLimits.profiles.block; time += 1)
		expect((await site.ask('/find-dev/author', cookie)).status).toBe(200)
	const words = 'You opened many profiles in a short time. Wait 5 minutes, then try again.'
	for (const path of ['/find-dev/author', '/find-dev/author.data', '/find-dev/author.json', '/find-dev/nobody'])
		await expectRefused(await site.ask(path, cookie), words, 290)
	for (const path of ['/find-dev/reader', '/find-dev/reader.json', '/my-profile/reader', '/forum'])
		expect((await site.ask(path, cookie)).status).toBe(200)
})

test('suggestions have a limit of their own, with JSON errors', async () => {
	const ask = () => site.ask('/suggest/people?q=aut', cookie)
	for (let time = 0; time < usageLimits.suggestions.member; time += 1) expect((await ask()).status).toBe(200)
	await expectRefused(await ask(), 'You asked for many suggestions in a short time. Wait a minute, then try again.', 60)
	expect((await site.ask('/suggest/developers?q=aut', cookie)).status).toBe(429)
})

test('the switcher has a limit of its own, as it sends a request for nearly every key', async () => {
	const ask = () => site.ask('/suggest/everything?q=', cookie)
	for (let time = 0; time < usageLimits.switcher.member; time += 1) expect((await ask()).status).toBe(200)
	await expectRefused(await ask(), 'You asked for many suggestions in a short time. Wait a minute, then try again.', 60)
})
