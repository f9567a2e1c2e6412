import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { sendMessage } from '~/features/chat/messages/sending.server.ts'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMessage } from '../factories/chat.ts'
import { picture } from '../factories/pictures.ts'
import { logOutAtCampus } from '../support/campus-logout.ts'
import { useDatabase } from '../support/database.ts'
import {
	logInAgain,
	logInMember,
	type MembersSite,
	password,
	startOnTestDatabase,
	testDatabaseUrl,
} from '../support/members-site.ts'
import { mergeAway } from '../support/merging.ts'
import { startSite } from '../support/site-process.ts'
import { closeTabs, nextEvent, openTab, startTab } from '../support/tabs.ts'

/*
 * An ended session or a revoked role takes effect with the next request, in both workers and by every interface, although the browser has a
 * signed cookie that is valid for 300 s. New connections go to the workers in turn.
 */

useDatabase()

const newPassword = 'another lantern at the ford'
/** The maximum delay in milliseconds until every process rejects the session. */
const MAX_DELAY = 1_000

let site: MembersSite
let folder: string
let admin: { member: SignedIn; cookie: string }
let peer: SignedIn
let pictureAddress: string
let serial = 0

beforeAll(async () => {
	folder = mkdtempSync(join(tmpdir(), 'devquad-revocation-'))
	site = await startOnTestDatabase(undefined, { WEB_CONCURRENCY: '2', DATA_DIR: folder, LOG_LEVEL: 'info' })
	admin = await logInMember(site, 'admin', 'admin')
	peer = (await logInMember(site, 'peer')).member
})

afterEach(closeTabs)
afterAll(async () => {
	await site?.stop()
	rmSync(folder, { recursive: true, force: true })
})

interface Someone {
	member: SignedIn
	cookie: string
	elsewhere: string
	token: string
}

/** A member with two sessions, a token, and a conversation with a picture. */
async function someone(role: SignedIn['role'] = 'member'): Promise<Someone> {
	serial += 1
	const { member, cookie } = await logInMember(site, `someone${serial}`, role)
	const { token } = await makeToken(member, { name: 'test', scopes: ['read'], days: 7 })
	pictureAddress = await sendPicture(member, cookie)
	await makeMessage(peer, member, 'A secret word.')
	return { member, cookie, elsewhere: await logInAgain(site, member.username), token }
}

async function sendPicture(member: SignedIn, cookie: string): Promise<string> {
	const form = new FormData()
	form.set('kind', 'message')
	form.set('file', new File([new Uint8Array(await picture('png', 64, 30))], 'picture.png'))
	const headers = { Cookie: cookie, Origin: site.url }
	const answer = await fetch(`${site.url}/media`, { method: 'POST', headers, body: form })
	const { path } = ((await answer.json()) as { picture: { path: string } }).picture
	const message = { to: peer.username, clientId: crypto.randomUUID(), body: '', pictures: [{ path, alt: '' }] }
	await sendMessage(member, message)
	return `/media/${path}-320.webp`
}

function get(path: string, headers: Record<string, string>): Promise<Response> {
	return fetch(site.url + path, { redirect: 'manual', headers: { ...headers, Connection: 'close' } })
}

/** The interfaces, each with whether it accepts a session. */
const loginMethods: Record<string, (cookie: string) => Promise<boolean>> = {
	page: async (cookie) => (await (await get('/messages', { Cookie: cookie })).text()).includes('A secret word.'),
	data: async (cookie) => (await (await get('/messages.data', { Cookie: cookie })).text()).includes('A secret word.'),
	api: async (cookie) => (await get('/api/v1/me', { Cookie: cookie })).status === 200,
	picture: async (cookie) => (await get(pictureAddress, { Cookie: cookie })).status === 200,
	session: async (cookie) => (await (await get('/api/auth/get-session', { Cookie: cookie })).json()) !== null,
	socket: async (cookie) => {
		const tab = startTab(site.url, { Cookie: cookie })
		const answer = await Promise.race([nextEvent(tab, 'connect'), nextEvent(tab, 'connect_error')])
		tab.disconnect()
		return !(answer instanceof Error)
	},
}

/** The interfaces and workers that accept a cookie. */
async function knownBy(cookie: string): Promise<string[]> {
	const asked = Object.entries(loginMethods).flatMap(([name, isKnown]) =>
		[1, 2].map(async (worker) => ((await isKnown(cookie)) ? `${name} ${worker}` : '')),
	)
	return (await Promise.all(asked)).filter(Boolean)
}

const everyWay = Object.keys(loginMethods).flatMap((name) => [`${name} 1`, `${name} 2`])

/** Asks until the answer is empty, or for the last time after {@link MAX_DELAY}, however long that takes. @returns the last answer */
async function untilNothing<Item>(ask: () => Promise<Item[]>): Promise<Item[]> {
	const end = performance.now() + MAX_DELAY
	for (;;) {
		const isLast = performance.now() >= end
		const answer = await ask()
		if (isLast || answer.length === 0) return answer
	}
}

async function isRefusedAtOnce(cookie: string): Promise<void> {
	expect(await untilNothing(() => knownBy(cookie))).toEqual([])
}

async function post(path: string, cookie: string, form: Record<string, string>): Promise<void> {
	const answer = await site.ask(path, cookie, form)
	expect([path, answer.status], await answer.text()).toEqual([path, 303])
}

/** The token of the last link mailed to this member. */
async function mailedToken(username: string): Promise<string> {
	let token: string | undefined
	await expect
		.poll(() => {
			const mails = readdirSync(join(folder, 'mail'), { recursive: true, encoding: 'utf8' })
				.filter((name) => /\.\w+$/.test(name))
				.map((name) => readFileSync(join(folder, 'mail', name), 'utf8'))
			const own = mails.filter((text) => text.includes(`${username}@campus.example`)).join('\n')
			token = /token=(?:3D)?([\w-]{20,})/.exec(own.replaceAll('=\r\n', '').replaceAll('=\n', ''))?.[1]
			return token
		})
		.toBeTruthy()
	return token ?? ''
}

const passwords = { newPassword, confirmPassword: newPassword }
const suspension = { intent: 'suspend', why: 'A reason.', time: '1 day' }

const endings: [string, (who: Someone) => Promise<void>, { others: boolean; tokens: boolean }][] = [
	['logging out', ({ cookie }) => post('/logout', cookie, {}), { others: true, tokens: true }],
	[
		'logging out through the API',
		async ({ cookie }) => {
			const headers = { Cookie: cookie, Origin: site.url, 'Content-Type': 'application/json' }
			const answer = await fetch(`${site.url}/api/auth/sign-out`, { method: 'POST', headers, body: '{}' })
			expect(answer.status).toBe(200)
		},
		{ others: true, tokens: true },
	],
	[
		'logging out that device from another',
		async ({ member, elsewhere }) => {
			const { rows } = await sql<{
				id: number
			}>`select min(id) as id from sessions where user_id = ${member.id}`.execute(db())
			await post('/settings', elsewhere, { intent: 'revoke', session: String(rows[0]?.id) })
		},
		{ others: true, tokens: true },
	],
	[
		'logging out everywhere else',
		({ elsewhere }) => post('/settings', elsewhere, { intent: 'revoke-others' }),
		{ others: true, tokens: true },
	],
	[
		'changing the password',
		({ member, elsewhere }) =>
			post(`/edit-profile/${member.username}/change-password`, elsewhere, { currentPassword: password, ...passwords }),
		{ others: false, tokens: false },
	],
	[
		'a new password by email',
		async ({ member }) => {
			await site.ask('/forgot-password', '', { email: `${member.username}@campus.example` })
			const token = await mailedToken(member.username)
			await post(`/reset-password?token=${token}`, '', { token, password: newPassword, confirmPassword: newPassword })
		},
		{ others: false, tokens: false },
	],
	[
		'a suspension',
		({ member }) => post(`/moderation/profile/${member.username}`, admin.cookie, suspension),
		{ others: false, tokens: false },
	],
	[
		'an admin who logs them out everywhere',
		({ member }) => post(`/moderation/profile/${member.username}`, admin.cookie, { intent: 'log-out' }),
		{ others: false, tokens: false },
	],
	['a logout at the university', ({ member }) => logOutAtCampus(member, site, admin), { others: true, tokens: true }],
	['a merge into another account', (who) => mergeAway(who, site, admin.cookie), { others: false, tokens: false }],
]

describe.each(endings)('%s', (_what, end, stays) => {
	test('ends the session in every process at once', async () => {
		const who = await someone()
		expect(await knownBy(who.cookie)).toEqual(everyWay)
		const tab = await openTab(site.url, who.cookie)
		const cut = nextEvent(tab, 'disconnect')
		await end(who)
		await isRefusedAtOnce(who.cookie)
		expect(await cut).toBe('io server disconnect')
		expect((await knownBy(who.elsewhere)).length > 0).toBe(stays.others)
		const answer = await get('/api/v1/me', { Authorization: `Bearer ${who.token}` })
		expect(answer.status).toBe(stays.tokens ? 200 : 401)
	})
})

test('a suspended member can log in and read, but not write', async () => {
	const { member } = await someone()
	await post(`/moderation/profile/${member.username}`, admin.cookie, suspension)
	const cookie = await logInAgain(site, member.username)
	expect(await knownBy(cookie)).toEqual(everyWay)
	const question = { title: 'My question', description: 'How does it work?', tags: 'testing', category: 'others' }
	const answer = await site.ask('/forum/ask', cookie, question)
	expect(await answer.text()).toContain('You are suspended')
	expect(answer.status).toBe(403)
})

test('a dismissed moderator sees nothing of moderation, and no hidden address, from the next request on', async () => {
	const { member, cookie } = await someone('moderator')
	const { rows } = await sql<{ id: number }>`select id from users where username = 'peer'`.execute(db())
	await sql`insert into profiles (user_id, phone, show_phone, show_email) values (${rows[0]?.id}, '+00 555 0177', false, false)
		on conflict (user_id) do update set phone = '+00 555 0177', show_phone = false, show_email = false`.execute(db())
	const profile = async (path: string) => (await (await get(path, { Cookie: cookie })).text()).includes('555 0177')
	const seen = () => Promise.all(['', '.data', '', '.data'].map((ending) => profile(`/find-dev/peer${ending}`)))
	const before = await seen()
	await post('/moderation/members', admin.cookie, { intent: 'dismiss', username: member.username })
	expect(await untilNothing(async () => (await seen()).filter(Boolean))).toEqual([])
	expect(before.includes(true), 'a moderator sees it').toBe(true)
	expect((await get('/moderation', { Cookie: cookie })).status).toBe(403)
	expect(await knownBy(cookie)).toEqual(everyWay)
})

describe('while connections of the bus are cut', () => {
	/** Kills every connection that listens, again and again. */
	function keepCutting(): () => Promise<void> {
		let isCutting = true
		const cut = async () => {
			while (isCutting)
				await sql`select pg_terminate_backend(pid) from pg_stat_activity
					where application_name = 'devquad bus' and datname = current_database()`.execute(db())
		}
		const cutting = cut()
		return async () => {
			isCutting = false
			await cutting
		}
	}

	test('no unverifiable cookie is accepted, and members stay logged in', async () => {
		const [who, other] = [await someone(), await someone()]
		const stop = keepCutting()
		try {
			await post('/logout', who.cookie, {})
			await isRefusedAtOnce(who.cookie)
			expect((await knownBy(other.cookie)).filter((way) => !way.startsWith('picture'))).not.toEqual([])
		} finally {
			await stop()
		}
		const again = await someone()
		expect(await knownBy(again.cookie)).toEqual(everyWay)
		await post('/logout', again.cookie, {})
		await isRefusedAtOnce(again.cookie)
	})
})

describe('the security log', () => {
	interface Line {
		event?: string
		userId: number | null
		requestId: string
		time: string
		area?: string
	}

	const lines = (event: string) =>
		site
			.output()
			.split('\n')
			.filter((line) => line.startsWith('{'))
			.map((line) => JSON.parse(line) as Line)
			.filter((line) => line.event === event)

	/** Asserts that the log has an event with the id in the response's header. */
	async function isRecorded(answer: Response, event: string, userId: number | null): Promise<void> {
		await answer.text()
		const requestId = answer.headers.get('X-Request-Id')
		await expect
			.poll(() => lines(event).find((line) => line.requestId === requestId))
			.toMatchObject({ userId, time: expect.stringMatching(/Z$/) })
	}

	test('has a line with the request’s id for actions and refusals', async () => {
		const { member, cookie, elsewhere, token } = await someone()
		const tab = startTab(site.url, { Cookie: cookie, Origin: 'https://evil.example' })
		expect(await nextEvent(tab, 'connect_error')).toBeInstanceOf(Error)
		await expect.poll(() => lines('refused').map(({ area }) => area)).toContain('/realtime')
		const write = (path: string, own: Record<string, string>, form: Record<string, string> = {}) => {
			const headers = { Origin: site.url, ...own }
			return fetch(site.url + path, { method: 'POST', redirect: 'manual', headers, body: new URLSearchParams(form) })
		}
		await isRecorded(await write('/settings', { Cookie: cookie, Origin: 'https://evil.example' }), 'refused', null)
		await isRecorded(await get('/moderation', { Cookie: cookie }), 'refused', member.id)
		await isRecorded(
			await write('/moderation/members', { Cookie: cookie }, { intent: 'appoint' }),
			'refused',
			member.id,
		)
		await isRecorded(await write('/api/v1/queries', {}), 'refused', null)
		await isRecorded(await write('/api/v1/queries', { Authorization: `Bearer ${token}` }), 'refused', member.id)
		const made = { intent: 'make', name: 'Another', scopes: 'read', days: '7' }
		await isRecorded(await write('/settings/tokens', { Cookie: cookie }, made), 'token-created', member.id)
		await isRecorded(
			await write('/settings', { Cookie: cookie }, { intent: 'revoke-others' }),
			'session-revoked',
			member.id,
		)
		await isRefusedAtOnce(elsewhere)
		await isRecorded(await write('/logout', { Cookie: cookie }), 'logout', member.id)
	})

	test('records exceeded limits, with at most one row a minute', async () => {
		const { member, token } = await someone()
		const call = () => get('/api/v1/me', { Authorization: `Bearer ${token}` })
		let answer = await call()
		while (answer.status === 200) answer = (await Promise.all(Array.from({ length: 50 }, call))).at(-1) ?? answer
		expect(answer.status).toBe(429)
		await isRecorded(answer, 'rate-limited', member.id)
		await isRecorded(await call(), 'rate-limited', member.id)
		const { rows } =
			await sql`select 1 from security_events where user_id = ${member.id} and kind = 'rate-limited'`.execute(db())
		expect(rows).toHaveLength(1)
	})

	test('every response has the request’s id: pages, files, the API, errors', async () => {
		const ids = await Promise.all(
			['/login', '/forum', '/robots.txt', '/api/v1/openapi.json', '/healthz', '/no/such/page', '/api/nothing'].map(
				async (path) => (await get(path, {})).headers.get('X-Request-Id'),
			),
		)
		for (const id of ids) expect(id).toMatch(/^[0-9a-f-]{36}$/)
		expect(new Set(ids).size).toBe(ids.length)
	})

	test('contains no address, e-mail, name, cookie or token', () => {
		const text = site.output().replace(site.url, '')
		expect(text).toContain('"event":"suspended"')
		for (const word of [
			'@campus.example',
			'someone1',
			'Someone1',
			'127.0.0.1',
			'::1',
			'session=',
			'node-fetch',
			'undici',
		])
			expect(text).not.toContain(word)
		// A random token of a link may contain the prefix of access tokens, too.
		expect(text).not.toMatch(/dq_[\w-]{43}/)
	})
})

test('a process that has just started knows earlier announcements', async () => {
	const who = await someone()
	await post('/logout', who.cookie, {})
	const started = await startSite({
		DATA_DIR: mkdtempSync(join(folder, 'fresh-')),
		DATABASE_URL: await testDatabaseUrl(),
		SEED: 'none',
		AUTH_SECRET: 'a secret that only these tests know of',
	})
	try {
		const answer = await fetch(`${started.url}/api/v1/me`, { headers: { Cookie: who.cookie } })
		expect(answer.status).toBe(401)
		const elsewhere = await fetch(`${started.url}/api/v1/me`, { headers: { Cookie: who.elsewhere } })
		expect(elsewhere.status).toBe(200)
	} finally {
		await started.stop()
	}
})
