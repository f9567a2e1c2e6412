import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { countAttempt } from '~/features/rate-limits/rate-limits.server.ts'
import { Invalid, TooManyRequests } from '~/lib/errors.ts'
import { networkOf, wideNetworkOf } from '~/lib/networks.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { form } from '../../../../tests/support/browser.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { deliverAccountMails, mailedToken, resetCounts, sentMails } from '../../../../tests/support/jobs.ts'
import { registerMember } from '../accounts.server.ts'
import { authHandler } from '../auth-handler.server.ts'
import { logIn } from '../login.server.ts'
import { requestPasswordReset, resetPassword } from './change-password.server.ts'

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

beforeEach(resetCounts)

const password = 'a lantern at the ford'
let made = 0

interface Browser {
	cookie?: string
	ip?: string
	agent?: string
}

function request({ cookie = '', ip = '198.51.100.7', agent = '' }: Browser = {}): Request {
	const headers = { 'x-client-ip': ip, Cookie: cookie, 'User-Agent': agent, Origin: 'http://localhost:3000' }
	return new Request('http://localhost:3000/', { headers })
}

async function member(): Promise<string> {
	made += 1
	const email = `member${made}@eastmere.example`
	await registerMember(form({ name: 'Mira Vale', email, password, confirmPassword: password }), request())
	return email
}

/** Logs in. @returns the cookie that makes the browser known from now on */
async function enter(email: string, browser: Browser = {}, secret = password): Promise<string> {
	const headers = await logIn(form({ email, password: secret }), request(browser))
	return (
		headers
			.getSetCookie()
			.find((cookie) => cookie.startsWith('device='))
			?.split(';')[0] ?? ''
	)
}

/** Tries a wrong password. @returns the seconds to wait if the attempt was rejected unchecked, else 0 */
async function guess(email: string, browser: Browser = {}): Promise<number> {
	const refusal = await enter(email, browser, 'a wrong guess').catch((error: unknown) => error)
	if (refusal instanceof TooManyRequests) return refusal.retryAfter
	expect(refusal).toBeInstanceOf(Invalid)
	return 0
}

/** Lets time pass for all counters. */
async function wait(seconds: number): Promise<void> {
	await sql`update attempts set last_at = last_at - make_interval(secs => ${seconds})`.execute(db())
	await sql`update account_mails set sent_at = sent_at - make_interval(secs => ${seconds})`.execute(db())
}

test('a stranger has five guesses, then growing waits: at most 100 in a row, and 40 a day', async () => {
	const email = await member()
	const waits: number[] = []
	let guesses = 0
	for (let round = 0; round < 130; round += 1) {
		const seconds = await guess(email, { ip: `203.0.${round}.9` })
		if (seconds > 0) {
			waits.push(seconds)
			await wait(seconds)
		} else guesses += 1
	}
	expect(waits.slice(0, 5).map((seconds) => Math.round(seconds / 60))).toEqual([15, 15, 30, 60, 60])
	const untilHundred = waits.findIndex((seconds) => seconds > 3_600)
	expect(untilHundred === -1 || untilHundred >= 94).toBe(true)
	expect(guesses).toBeLessThanOrEqual(100)
	let [elapsed, inOneDay] = [0, 5]
	for (const seconds of waits) {
		elapsed += seconds
		if (elapsed <= 86_400) inOneDay += 1
	}
	expect(inOneDay).toBeLessThanOrEqual(40)
})

test('after 100 guesses in a row each further one waits for a day', async () => {
	const email = await member()
	for (let count = 0; count < 5; count += 1) await guess(email)
	await sql`update attempts set count = 100 where key like 'login-account:%'`.execute(db())
	expect(await guess(email)).toBeGreaterThan(80_000)
})

test('of forty concurrent guesses five are checked, whatever the spelling, the way and the address', async () => {
	const email = await member()
	const spellings = [email, email.toUpperCase(), ` ${email} `, email.split('@')[0] ?? '']
	const byPage = Array.from({ length: 30 }, (_, index) =>
		guess(spellings[index % 4] ?? '', { ip: `2001:db8:${index}::1` }),
	)
	const byApi = Array.from({ length: 10 }, async (_, index) => {
		const answer = await authHandler(
			new Request('http://localhost:3000/api/auth/sign-in/email', {
				method: 'POST',
				headers: {
					'Content-Type': 'application/json',
					'x-client-ip': `192.0.2.${index}`,
					Origin: 'http://localhost:3000',
				},
				body: JSON.stringify({ email, password: 'a wrong guess' }),
			}),
		)
		return answer.status === 429 ? Number(answer.headers.get('Retry-After')) : 0
	})
	const waits = await Promise.all([...byPage, ...byApi])
	expect(waits.filter((seconds) => seconds === 0)).toHaveLength(5)
})

test('the owner can log in from a known device meanwhile, which does not reset the strangers’ count', async () => {
	const email = await member()
	const device = await enter(email)
	while ((await guess(email, { ip: '203.0.113.5' })) === 0);
	await expect(enter(email, { ip: '203.0.113.77' })).rejects.toThrow(TooManyRequests)
	for (let login = 0; login < 8; login += 1) await enter(email, { cookie: device, ip: '203.0.113.5' })
	expect(await guess(email, { ip: '192.0.2.1' })).toBeGreaterThan(0)
})

test('a known device has a count of its own, for one account only', async () => {
	const [email, other] = [await member(), await member()]
	const [device, elsewhere] = [await enter(email), await enter(email)]
	for (let tries = 0; tries < 5; tries += 1) expect(await guess(email, { cookie: device })).toBe(0)
	expect(await guess(email, { cookie: device })).toBeGreaterThan(30)
	await enter(email, { cookie: elsewhere })
	for (let tries = 0; tries < 5; tries += 1) expect(await guess(other, { cookie: device })).toBe(0)
	expect(await guess(other, { cookie: device })).toBeGreaterThan(600)
})

test.each(['device=forged', 'device=aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa', 'device=%00.', 'device='])(
	'the cookie %j is no device',
	async (cookie) => {
		const email = await member()
		await enter(email)
		for (let tries = 0; tries < 5; tries += 1) expect(await guess(email, { cookie })).toBe(0)
		await expect(enter(email, { cookie })).rejects.toThrow(TooManyRequests)
	},
)

test('a browser can be known for several accounts, and an account for ten browsers', async () => {
	const [first, second] = [await member(), await member()]
	const both = await enter(second, { cookie: await enter(first) })
	expect(both.split('.')).toHaveLength(2)
	for (const email of [first, second]) while ((await guess(email)) === 0);
	for (const email of [first, second]) await enter(email, { cookie: both })
	await resetCounts()
	for (let login = 0; login < 14; login += 1) await enter(first)
	const { rows } = await sql`select from known_devices join users on users.id = user_id where email = ${first}`.execute(
		db(),
	)
	expect(rows).toHaveLength(10)
})

test('a reset by mail deletes devices and counts, and makes its own browser known', async () => {
	const email = await member()
	const old = await enter(email)
	while ((await guess(email)) === 0);
	await requestPasswordReset(form({ email }), request())
	const next = 'another lantern at the ford'
	const input = form({ token: await mailedToken(email), password: next, confirmPassword: next })
	const fresh = (await resetPassword(input, request())).headers.getSetCookie()[0]?.split(';')[0] ?? ''
	while ((await guess(email, { cookie: old })) === 0);
	await expect(enter(email, { cookie: old }, next)).rejects.toThrow(TooManyRequests)
	await enter(email, { cookie: fresh }, next)
})

test('guesses from an address or network are limited over all accounts; successful logins are not', async () => {
	const email = await member()
	const counts = async () => {
		const { rows } = await sql<{ key: string; count: number }>`
			select split_part(key, ':', 1) as key, count from attempts order by key`.execute(db())
		return Object.fromEntries(rows.map(({ key, count }) => [key, count]))
	}
	for (let login = 0; login < 4; login += 1) await enter(email, { ip: '203.0.113.9' })
	expect(await counts()).toMatchObject({ 'login-address': 0, 'login-network': 0 })
	for (let tries = 0; tries < 3; tries += 1) expect(await guess(`a${tries}@b.example`, { ip: '203.0.113.9' })).toBe(0)
	expect(await counts()).toMatchObject({ 'login-address': 3, 'login-network': 3 })
	// As after many earlier attempts.
	await sql`update attempts set count = 49 where key like 'login-address:%'`.execute(db())
	expect(await guess('next@b.example', { ip: '203.0.113.9' })).toBe(0)
	expect(await guess('last@b.example', { ip: '203.0.113.9' })).toBeGreaterThan(30)
	await expect(enter(email, { ip: '203.0.113.9' })).rejects.toThrow(TooManyRequests)
	await sql`update attempts set count = 249 where key like 'login-network:%'`.execute(db())
	expect(await guess('neighbour@b.example', { ip: '203.0.113.10' })).toBe(0)
	expect(await guess('neighbour@b.example', { ip: '203.0.113.11' })).toBeGreaterThan(30)
	expect(await guess('nobody@eastmere.example', { ip: '203.0.114.9' })).toBe(0)
})

test('a refused attempt is not counted', async () => {
	const email = await member()
	while ((await guess(email, { ip: '203.0.113.9' })) === 0);
	for (let tries = 0; tries < 100; tries += 1) await guess(email, { ip: '203.0.113.9' })
	expect(await guess('somebody.else@eastmere.example', { ip: '203.0.113.9' })).toBe(0)
})

test('a clock that was set back causes no wait', async () => {
	const email = await member()
	while ((await guess(email)) === 0);
	await wait(-86_400)
	await enter(email)
})

test.each([
	['203.0.113.9', '203.0.113.9', '203.0.113.0/24'],
	['::ffff:203.0.113.9', '203.0.113.9', '203.0.113.0/24'],
	['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64', '2001:db8:1::/48'],
	['2001:0DB8::7', '2001:db8:0:0::/64', '2001:db8:0::/48'],
	['unknown', 'unknown', 'unknown'],
])('%s is counted as %s, and with its network as %s', (address, holder, wide) => {
	expect([networkOf(address), wideNetworkOf(address)]).toEqual([holder, wide])
})

test('a lecture hall can register at once; beyond thirty from one address each waits a little longer', async () => {
	const outcomes: number[] = []
	for (let count = 0; count < 34; count += 1) {
		const seconds = await countAttempt([['register-address', '203.0.113.50']]).then(
			() => 0,
			(error: TooManyRequests) => error.retryAfter,
		)
		outcomes.push(seconds)
		if (seconds > 0) await wait(seconds)
	}
	expect(outcomes.slice(0, 30)).toEqual(Array(30).fill(0))
	expect(outcomes.slice(30)).toEqual([20, 0, 30, 0])
	await expect(countAttempt([['register-address', '203.0.113.50']])).rejects.toThrow('Wait 60 seconds')
	await resetCounts()
	let registered = 0
	const register = () =>
		registerMember(
			form({ name: 'A', email: `hall${registered}@eastmere.example`, password, confirmPassword: password }),
			request({ ip: '203.0.113.60' }),
		)
	for (; registered < 30; registered += 1) await register()
	await expect(register()).rejects.toThrow(TooManyRequests)
})

test('an address gets three mails an hour and five a day over all kinds, silently; a known device has a limit of its own', async () => {
	const email = await member()
	const device = await enter(email)
	const ask = async (spelling: string, browser: Browser = {}) => {
		await requestPasswordReset(form({ email: spelling }), request(browser))
		await deliverAccountMails()
	}
	const registerAgain = async () => {
		await registerMember(
			form({ name: 'X', email, password: 'something else', confirmPassword: 'something else' }),
			request(),
		)
		await deliverAccountMails()
	}
	const count = async () => (await sentMails(email)).length
	await registerAgain()
	for (let time = 0; time < 4; time += 1) await ask(email)
	await registerAgain()
	expect(await count()).toBe(3)
	const strangers = await mailedToken(email)
	await wait(3_700)
	for (let time = 0; time < 4; time += 1) await ask(email.toUpperCase())
	expect(await count()).toBe(5)
	const last = await mailedToken(email)
	expect(last).not.toBe(strangers)
	await ask(email, { cookie: device })
	expect(await count()).toBe(6)
	await wait(86_400)
	await ask(email)
	expect(await count()).toBe(7)
})

test('a request that is not mailed leaves the last link valid', async () => {
	const email = await member()
	for (let time = 0; time < 8; time += 1) await requestPasswordReset(form({ email }), request())
	const token = await mailedToken(email)
	expect(await sentMails(email)).toHaveLength(3)
	const next = 'another lantern at the ford'
	await resetPassword(form({ token, password: next, confirmPassword: next }), request())
	await enter(email, {}, next)
})

test('of twenty concurrent requests three are mailed, and only the newest link is valid', async () => {
	const email = await member()
	await Promise.all(Array.from({ length: 20 }, () => requestPasswordReset(form({ email }), request())))
	const mails = await sentMails(email)
	expect(mails).toHaveLength(3)
	const tokens = mails.map(({ text }) => /token=(\S+)/.exec(text)?.[1] ?? '')
	const next = 'another lantern at the ford'
	const uses = await Promise.allSettled(
		tokens.map((token) => resetPassword(form({ token, password: next, confirmPassword: next }), request())),
	)
	expect(uses.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'fulfilled'])
})

test('a login from an unknown device is mailed; the first one and those from known devices are not', async () => {
	const email = await member()
	const device = await enter(email)
	await enter(email, { cookie: device })
	expect(await sentMails(email)).toEqual([])
	await enter(email, { agent: 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0' })
	const [mail, ...more] = await sentMails(email)
	expect(more).toEqual([])
	expect(mail?.subject).toBe('A new login to your account at DevQuad')
	expect(mail?.text).toMatch(/: Firefox on Linux, on \w{3} \w{3} \d\d 20\d\d [\d:]{8} (UTC|\(.+\))\./)
	expect(mail?.text).toContain('http://localhost:3000/settings')
	// Exhausting the budget for requested links must not silence this mail.
	for (let time = 0; time < 6; time += 1) await requestPasswordReset(form({ email }), request())
	await deliverAccountMails()
	await enter(email)
	expect((await sentMails(email)).map(({ subject }) => subject).at(-1)).toBe('A new login to your account at DevQuad')
})
