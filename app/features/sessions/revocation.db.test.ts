import { sql } from 'kysely'
import pg from 'pg'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import '~/features/index.server.ts'
import { registerMember } from '~/features/accounts/accounts.server.ts'
import { authHandler } from '~/features/accounts/auth-handler.server.ts'
import { logIn, logOut } from '~/features/accounts/login.server.ts'
import { requireSession, sessionOf, viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { runInRequestScope } from '~/lib/request-scope.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { cookiesOf, form } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { listSecurityEvents } from './security-log.server.ts'
import { deleteOldRevocations, readRevocations } from './sessions.queries.server.ts'
import {
	announceAccountChange,
	listenForRevocations,
	listSessions,
	sweepSessions,
	withLastKnownSessions,
} from './sessions.server.ts'

/* The lifetime of sessions in one process; for several processes see tests/process/revocation.db.test.ts. */

useDatabase()

let stop = async () => {}

beforeAll(async () => {
	await startJobs()
	await stopJobs()
	stop = await listenForRevocations()
})

afterAll(() => stop())

beforeEach(async () => {
	await sql`truncate rate_limits`.execute(db())
})

const password = 'a lantern at the ford'

function request(cookie = '', path = '/', body?: object): Request {
	return new Request(`http://localhost:3000${path}`, {
		headers: {
			'x-client-ip': '2001:db8::7',
			Cookie: cookie,
			...(body && { Origin: 'http://localhost:3000', 'Content-Type': 'application/json' }),
		},
		...(body && { method: 'POST', body: JSON.stringify(body) }),
	})
}

/** Runs in a request scope of its own, as on the server. */
const ask = (cookie: string) => runInRequestScope('a request', '', () => viewerFromRequest(request(cookie)))
const usernameOf = async (cookie: string) => (await ask(cookie)).viewer?.username ?? null

/** The cookies of a session after its signed part was renewed. */
async function renew(cookie: string): Promise<string> {
	return `${/(?<![\w-])session=[^;]+/.exec(cookie)?.[0]}; ${cookiesOf((await ask(cookie)).headers)}`
}

/** Like {@link ask} for a request that writes. */
const write = (cookie: string) =>
	runInRequestScope('a write', '', () => viewerFromRequest(request(cookie), { fresh: true }))

/** The names of the cookies that a response to a write sets or deletes. */
const setByWrite = async (cookie: string) =>
	(await write(cookie)).headers.getSetCookie().map((each) => each.split('=')[0])

/** Runs work and returns whether it looked up a session. The process's own background reads of revocations do not count. */
async function looksUp(work: () => Promise<unknown>): Promise<boolean> {
	const statements = vi.spyOn(pg.Client.prototype, 'query')
	await work()
	const asked = statements.mock.calls.map(
		([statement]) => (statement as unknown as { text?: string } | undefined)?.text,
	)
	statements.mockRestore()
	return asked.some((text) => text?.includes('from "sessions"'))
}

/** Whether a request with these cookies is answered without looking up its session. */
async function isBelieved(cookie: string): Promise<boolean> {
	return !(await looksUp(() => ask(cookie)))
}

async function enter(email: string, cookie = ''): Promise<string> {
	return cookiesOf(await logIn(form({ email, password }), request(cookie)))
}

let members = 0

async function member(name: string): Promise<{ email: string; viewer: SignedIn; cookie: string }> {
	const email = `${name}@eastmere.example`
	members += 1
	const registration = request()
	// A network of their own, as registrations of one are limited.
	registration.headers.set('x-client-ip', `2001:db8:${members}::7`)
	await registerMember(form({ name, email, password, confirmPassword: password }), registration)
	const cookie = await enter(email)
	const { viewer } = await ask(cookie)
	if (!viewer) throw new Error('not logged in')
	return { email, viewer, cookie }
}

const countSessions = async (userId: number) =>
	(await sql<{ count: number }>`select count(*)::int from sessions where user_id = ${userId}`.execute(db())).rows[0]
		?.count

describe('the signed cookie', () => {
	test('is trusted without a database lookup', async () => {
		const { cookie } = await member('ada')
		for (let time = 0; time < 3; time += 1) expect(await isBelieved(cookie)).toBe(true)
	})

	test('is verified once a minute instead of for each request', async () => {
		const { cookie } = await member('anna')
		const verify = vi.spyOn(crypto.subtle, 'verify')
		try {
			expect([await usernameOf(cookie), await usernameOf(cookie)]).toEqual(['anna', 'anna'])
			expect(verify).not.toHaveBeenCalled()
			expect(await usernameOf(`${cookie}; theme=dark`)).toBe('anna')
			expect(verify).toHaveBeenCalled()
		} finally {
			verify.mockRestore()
		}
	})

	test('is looked up once after a change, and its replacement is trusted again', async () => {
		const { viewer, cookie } = await member('bea')
		await sql`update users set role = 'moderator' where id = ${viewer.id}`.execute(db())
		await announceAccountChange(viewer.id)
		expect((await ask(cookie)).viewer?.role).toBe('moderator')
		// By then the process has read the change, so later requests get a cookie that stays valid.
		await eventually(async () => expect(await isBelieved(await renew(cookie))).toBe(true))
		expect((await ask(await renew(cookie))).viewer?.role).toBe('moderator')
	})

	test('of an ended session is refused at once, in pages and in Better Auth’s own responses', async () => {
		const { email, cookie } = await member('cleo')
		const other = await enter(email)
		await logOut(request(cookie))
		expect([await usernameOf(cookie), await usernameOf(other)]).toEqual([null, 'cleo'])
		expect(await (await authHandler(request(cookie, '/api/auth/get-session'))).json()).toBeNull()
		await authHandler(request(other, '/api/auth/sign-out', {}))
		expect(await usernameOf(other)).toBeNull()
	})

	test('does not outlive an unannounced change in the database', async () => {
		const changes = [
			'delete from sessions where user_id = ',
			"update sessions set expires_at = now() - interval '1 s' where user_id = ",
			"update sessions set created_at = now() - interval '91 days' where user_id = ",
		]
		const cookies: string[] = []
		for (const [index, change] of changes.entries()) {
			const { viewer, cookie } = await member(`silent${index}`)
			cookies.push(cookie)
			await sql.raw(change + viewer.id).execute(db())
		}
		expect((await Promise.all(cookies.map(usernameOf))).filter(Boolean)).not.toEqual([])
		await expect.poll(() => Promise.all(cookies.map(usernameOf)), { timeout: 10_000 }).toEqual([null, null, null])
	})

	test('cannot be combined with that of another session', async () => {
		const [mine, other] = [await member('dora'), await member('eve')]
		const stolen = `${/session_data=[^;]+/.exec(mine.cookie)?.[0]}; ${other.cookie}`
		await logOut(request(mine.cookie))
		expect(await usernameOf(stolen)).not.toBe('dora')
		expect(await usernameOf(`${mine.cookie}; ${other.cookie}`)).not.toBe('dora')
	})
})

describe('a write with a signed cookie', () => {
	test('is looked up by one statement, and keeps the cookies of the browser', async () => {
		const { viewer, cookie } = await member('wanda')
		const statements = vi.spyOn(pg.Client.prototype, 'query')
		try {
			for (let time = 0; time < 2; time += 1) {
				const { viewer: found, headers } = await write(cookie)
				expect([found, headers.getSetCookie()]).toEqual([viewer, []])
			}
			const texts = statements.mock.calls.map(([asked]) => (asked as unknown as { text?: string }).text ?? '')
			expect(texts.filter((text) => text.includes('sessions.token'))).toHaveLength(2)
			expect(texts.filter((text) => text.includes('from "sessions"'))).toEqual([])
		} finally {
			statements.mockRestore()
		}
		expect(await isBelieved(cookie)).toBe(true)
	})

	test('that has expired gets another one, and that of another member counts for nothing', async () => {
		const [mine, other] = [await member('wilma'), await member('wim')]
		const token = /(?<![\w-])session=[^;]+/.exec(mine.cookie)?.[0] ?? ''
		expect(await setByWrite(token)).toEqual(['session_data'])
		expect((await write(`${token}; ${/session_data=[^;]+/.exec(other.cookie)?.[0]}`)).viewer).toEqual(mine.viewer)
	})

	test('sees at once what changed of its member, and the cookie is not trusted later', async () => {
		const { viewer, cookie } = await member('winifred')
		await write(cookie)
		await sql`update users set role = 'admin', name = 'Winifred II' where id = ${viewer.id}`.execute(db())
		const changed = { ...viewer, role: 'admin', name: 'Winifred II' }
		// By hand, so that no process has heard of it.
		expect((await write(cookie)).viewer).toEqual(changed)
		await announceAccountChange(viewer.id)
		const { viewer: reader, headers } = await ask(cookie)
		expect(reader).toEqual(changed)
		expect(headers.getSetCookie().some((each) => /^session_data=[^;]/.test(each))).toBe(true)
	})

	test('is refused at once when its session has another token or has ended, and loses its cookies', async () => {
		const { viewer, cookie } = await member('wout')
		const refusal = async () => {
			const { viewer: found, headers } = await write(cookie)
			return found === null && headers.getSetCookie().some((each) => /^session=;.*Max-Age=0/.test(each))
		}
		const setToken = (change: string) =>
			sql`update sessions set token = ${sql.raw(change)} where user_id = ${viewer.id}`.execute(db())
		await write(cookie)
		await setToken('reverse(token)')
		expect(await refusal()).toBe(true)
		await setToken('reverse(token)')
		expect(await refusal()).toBe(false)
		await sql`delete from sessions where user_id = ${viewer.id}`.execute(db())
		expect(await refusal()).toBe(true)
	})

	test('extends a session when that is due and its 90 days allow it', async () => {
		const { viewer, cookie } = await member('yann')
		// The last one expires 90 days after it began.
		for (const [age, left, set] of [
			[1, sql`now() + interval '708 hours'`, []],
			[2, sql`now() + interval '672 hours'`, ['session', 'session_data']],
			[75, sql`now() - interval '75 days' + interval '90 days'`, []],
		] as const) {
			await sql`update sessions set created_at = now() - make_interval(days => ${age}), expires_at = ${left}
				where user_id = ${viewer.id}`.execute(db())
			expect(await setByWrite(`${cookie}; age=${age}`), `${age}`).toEqual(set)
		}
	})
})

describe('a browser whose signed cookie has expired, when its tab has just connected', () => {
	const tokenOf = (cookie: string) => /(?<![\w-])session=[^;]+/.exec(cookie)?.[0] ?? ''

	test('is looked up together with others of the same tick, and gets no new cookie', async () => {
		const [ida, iwan] = [await member('ida'), await member('iwan')]
		const cookies = [ida, iwan].map(({ cookie }) => tokenOf(cookie))
		for (const cookie of cookies) await sessionOf(request(cookie))
		const statements = vi.spyOn(pg.Client.prototype, 'query')
		try {
			const found = await Promise.all([...cookies, ...cookies].map(ask))
			expect(found.map(({ viewer }) => viewer?.username)).toEqual(['ida', 'iwan', 'ida', 'iwan'])
			expect(found.flatMap(({ headers }) => headers.getSetCookie())).toEqual([])
			const texts = statements.mock.calls.map(([asked]) => (asked as unknown as { text?: string }).text ?? '')
			expect(texts.filter((text) => text.includes('sessions.token'))).toHaveLength(1)
			expect(texts.filter((text) => text.includes('from "sessions"'))).toEqual([])
		} finally {
			statements.mockRestore()
		}
	})

	test('is logged out as soon as its session has ended, and loses its cookies', async () => {
		const { viewer, cookie } = await member('ivo')
		const token = tokenOf(cookie)
		expect((await sessionOf(request(token)))?.viewer.username).toBe('ivo')
		await sql`delete from sessions where user_id = ${viewer.id}`.execute(db())
		const { viewer: found, headers } = await ask(token)
		expect(found).toBeNull()
		expect(headers.getSetCookie().some((each) => /^session=;.*Max-Age=0/.test(each))).toBe(true)
	})

	test('is still extended when that is due', async () => {
		const { viewer, cookie } = await member('ilse')
		const token = tokenOf(cookie)
		await sql`update sessions set expires_at = now() + interval '28 days' where user_id = ${viewer.id}`.execute(db())
		await sessionOf(request(token))
		expect((await ask(token)).headers.getSetCookie().some((each) => each.startsWith('session='))).toBe(true)
		const { rows } = await sql<{ days: number }>`
			select extract(epoch from expires_at - now())::float / 86400 as days from sessions where user_id = ${viewer.id}`.execute(
			db(),
		)
		expect(rows[0]?.days).toBeCloseTo(30, 1)
	})
})

describe('the lifetime of a session', () => {
	test.each([
		[1, 30],
		[59, 30],
		[75, 15],
		[89, 1],
	])('renewed %i days after it began, it is valid for %i more days', async (age, left) => {
		const { viewer, cookie } = await member(`aged${age}`)
		await sql`update sessions set created_at = now() - make_interval(days => ${age}),
			expires_at = least(expires_at, now() + interval '12 hours') where user_id = ${viewer.id}`.execute(db())
		expect((await viewerFromRequest(request(cookie), { fresh: true })).viewer).not.toBeNull()
		const { rows } = await sql<{ days: number }>`
			select extract(epoch from expires_at - now())::float / 86400 as days from sessions
			where user_id = ${viewer.id}`.execute(db())
		expect(rows[0]?.days).toBeCloseTo(left, 1)
	})

	test('90 days after it began it ends, whatever its row says', async () => {
		const { viewer, cookie } = await member('flora')
		await sql`update sessions set created_at = now() - interval '90 days', expires_at = now() + interval '1 year'
			where user_id = ${viewer.id}`.execute(db())
		expect((await viewerFromRequest(request(cookie), { fresh: true })).viewer).toBeNull()
		await sweepSessions()
		expect(await countSessions(viewer.id)).toBe(0)
	})

	test('logging in again gives a new token and ends the session of this browser, and no other', async () => {
		const { email, viewer, cookie } = await member('gwen')
		const elsewhere = await enter(email)
		const again = await enter(email, cookie)
		expect([await usernameOf(cookie), await usernameOf(elsewhere), await usernameOf(again)]).toEqual([
			null,
			'gwen',
			'gwen',
		])
		expect(await countSessions(viewer.id)).toBe(2)
		const other = await member('hope')
		await enter(other.email, again)
		expect([await usernameOf(again), await usernameOf(elsewhere)]).toEqual([null, 'gwen'])
		expect((await listSecurityEvents(viewer)).map(({ text }) => text)).toContain('Logged out')
	})

	test('a wrong password ends nothing', async () => {
		const { email, cookie } = await member('ines')
		await expect(logIn(form({ email, password: 'wrong password' }), request(cookie))).rejects.toThrow()
		expect(await usernameOf(cookie)).toBe('ines')
	})

	test('of 51 sessions the least recently used one ends', async () => {
		const { email, viewer, cookie } = await member('jo')
		const second = await enter(email)
		await sql`insert into sessions (user_id, token, expires_at) select ${viewer.id}, 'token ' || n, now() + interval '1 day'
			from generate_series(1, 48) n`.execute(db())
		await sql`update sessions set updated_at = now() - interval '1 hour' where user_id = ${viewer.id}
			and id = (select min(id) from sessions where user_id = ${viewer.id})`.execute(db())
		const newest = await enter(email)
		expect(await countSessions(viewer.id)).toBe(50)
		expect([await usernameOf(cookie), await usernameOf(second), await usernameOf(newest)]).toEqual([null, 'jo', 'jo'])
		expect(await listSessions(viewer, await requireSession(viewer, request(newest)))).toHaveLength(50)
	})
})

test('during an outage a cookie only shows the name in the header, unless its session is known to have ended', async () => {
	const [here, gone] = [await member('olive'), await member('piet')]
	await logOut(request(gone.cookie))
	expect(await isBelieved(here.cookie)).toBe(true)
	await stop()
	try {
		const named = ({ cookie }: { cookie: string }) =>
			runInRequestScope('a request', '', async () => {
				let name: string | null = null
				const asked = await looksUp(async () => {
					const { viewer } = await withLastKnownSessions(() => viewerFromRequest(request(cookie)))
					name = viewer?.username ?? null
				})
				return [name, asked]
			})
		expect(await isBelieved(here.cookie)).toBe(false)
		expect([await named(here), await named(gone)]).toEqual([
			['olive', false],
			[null, true],
		])
	} finally {
		stop = await listenForRevocations()
	}
})

test('two changes that are committed in reverse order of their numbers give two versions', async () => {
	const { viewer } = await member('nora')
	const version = async () => (await readRevocations(600)).get(viewer.id)
	await sql`insert into session_revocations (id, user_id) overriding system value values (1000000002, ${viewer.id})`.execute(
		db(),
	)
	const first = await version()
	await sql`insert into session_revocations (id, user_id) overriding system value values (1000000001, ${viewer.id})`.execute(
		db(),
	)
	expect(await version()).not.toBe(first)
	await sql`update session_revocations set at = now() - interval '25 hours'`.execute(db())
	await deleteOldRevocations()
	expect((await sql`select 1 from session_revocations`.execute(db())).rows).toEqual([])
})
