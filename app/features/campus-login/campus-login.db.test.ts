import { sql } from 'kysely'
import { afterAll, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import '~/features/index.server.ts'
import { SecondStepRequired } from '~/features/accounts/login.server.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { decryptSecret } from '~/platform/encryption.server.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { cookiePairs } from '../../../tests/support/browser.ts'
import { enrolVisitor, offerCampus, startOwnCampus, studentAccount } from '../../../tests/support/campus-visits.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { queuedMails, useJobTables } from '../../../tests/support/jobs.ts'
import { requestOf, viewerWithCookies } from '../../../tests/support/login-visits.ts'
import type { CampusAccount, CampusSite } from '../../../tests/support/oidc-site.ts'
import { setUpApp, submitCode } from '../../../tests/support/second-factor.ts'
import { refreshPurpose } from './identities.server.ts'
import { listLogins, unlinkIdentity, verifiedLinks } from './linked-logins.server.ts'
import { beginFlow, finishFlow, isStillPending } from './login-flow.server.ts'
import { ProviderUnreachable } from './provider-fetch.server.ts'
import { checkSession } from './session-checks.server.ts'

useDatabase()
useJobTables()

let campus: CampusSite
let admin: SignedIn
let made = 0

beforeAll(async () => {
	campus = await startOwnCampus()
	admin = await makeMember('admin', 'admin')
	// Tests check sessions explicitly by default.
	await save({ endsSessions: '' })
})

afterAll(() => campus.stop())
beforeEach(() => {
	made += 1
	enrol({ sub: `s-${made}` })
})

/** Adds an account at the campus, and logs its owner in there. */
function enrol(account: CampusAccount): void {
	enrolVisitor(campus, { ...studentAccount(made), name: `Student ${made}`, ...account })
}

/** Saves the settings of the campus login, as an admin does. */
function save(input: Record<string, string>): Promise<void> {
	return offerCampus(admin, campus, { roleClaim: 'role', ...input })
}

const secondsFromNow = (seconds: number) => Math.floor(Date.now() / 1_000) + seconds
/** The request for a callback. */
const visitOf = ({ pathname, search }: URL, cookies: readonly string[]) => requestOf(pathname + search, cookies)

interface Trip {
	redirectTo?: string
	linkTo?: number | null
	/** Cookies of the browser. */
	has?: string[]
	/** Manipulates the address of the callback. */
	back?: (url: URL) => void
}

/** Starts a login, logs in at the campus, and returns. */
async function trip({ redirectTo = '', linkTo = null, has = [], back = () => {} }: Trip = {}) {
	const begun = await beginFlow('campus', { viewer: null, linkTo, redirectTo, ip: '192.0.2.1' })
	const url = new URL(await campus.visit(begun.url))
	back(url)
	const returned = visitOf(url, [...has, ...cookiePairs(begun.headers)])
	const finished = await finishFlow('campus', returned, null, '192.0.2.1')
	return { ...finished, cookies: cookiePairs(finished.headers), returned }
}

async function sessionsOf({ id }: SignedIn): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`select id from sessions where user_id = ${id}`.execute(db())
	return rows.map((row) => row.id)
}

describe('logging in', () => {
	test('the first login creates the account, by the rules of registration; later ones find it by its subject', async () => {
		const first = await trip({ redirectTo: '/forum?q=a' })
		expect(first).toMatchObject({ message: 'Welcome!', redirectTo: '/forum?q=a' })
		const member = await viewerWithCookies(first.cookies)
		expect(member).toMatchObject({ username: `student${made}`, name: `Student ${made}`, role: 'member' })
		// Address, name and username at the campus may change, or pass to somebody else.
		enrol({ sub: campus.visitor, email: 'married@eastmere.example', name: 'Admin', preferred_username: 'other' })
		const again = await trip()
		expect([again.message, (await viewerWithCookies(again.cookies))?.id]).toEqual(['Welcome back!', member?.id])
		const { rows } = await sql`select kind from security_events where user_id = ${member?.id} order by id`.execute(db())
		expect(rows.map((row) => (row as { kind: string }).kind)).toEqual(expect.arrayContaining(['register', 'login']))
	})

	test('an address never opens an existing account, nor does a new subject with the same data', async () => {
		const { cookies } = await trip()
		const owner = await viewerWithCookies(cookies)
		enrol({ sub: `someone-else-${made}`, email_verified: true })
		await expect(trip()).rejects.toThrow(/^There is already an account .+@eastmere.example, and another account/)
		const { rows } = await sql`select from identities where user_id = ${owner?.id}`.execute(db())
		expect(rows).toHaveLength(1)
	})

	test('two concurrent first logins yield the same member', async () => {
		const both = await Promise.all([trip(), trip()])
		const [one, other] = await Promise.all(both.map(({ cookies }) => viewerWithCookies(cookies)))
		expect([one?.id, both.filter(({ message }) => message === 'Welcome!').length]).toEqual([other?.id, 1])
	})

	test.each([
		[
			'a name of the staff',
			{ name: 'Administrator', preferred_username: 'moderator' },
			{ name: /^student/, username: /^member\d*$/ },
		],
		[
			'a username that is an address',
			{ preferred_username: 'x.y@eastmere.example' },
			{ name: /^Student/, username: /^x\.y\d*$/ },
		],
		[
			'nothing but an address',
			{ name: undefined, preferred_username: undefined },
			{ name: /^student\d/, username: /^student/ },
		],
	])('who comes with %s gets a good one', async (_what, claims, { name, username }) => {
		enrol({ sub: campus.visitor, ...claims })
		const member = await viewerWithCookies((await trip()).cookies)
		expect(member?.name).toMatch(name)
		expect(member?.username).toMatch(username)
	})

	test('a person without an address gets an error', async () => {
		enrol({ sub: campus.visitor, email: undefined })
		await expect(trip()).rejects.toThrow('No email address came with this login')
	})

	test('a student of a known university is verified; staff are not', async () => {
		for (const [role, verified] of [
			[['Student', 'tutor'], true],
			['staff', false],
		] as const) {
			made += 1
			enrol({ sub: `mit-${made}`, email: `m${made}@mit.edu`, role: typeof role === 'string' ? role : [...role] })
			const { id } = (await viewerWithCookies((await trip()).cookies)) as SignedIn
			const { rows } = await sql`
				select campus_verified_at is not null as verified, affiliation from profiles p
				join identities i on i.user_id = p.user_id where p.user_id = ${id}`.execute(db())
			expect(rows).toEqual([{ verified, affiliation: verified ? 'student' : 'staff' }])
		}
	})

	test.each(['//evil.example', 'https://evil.example/', '/\\evil.example', 'javascript:alert(1)'])(
		'it never leads to %s',
		async (redirectTo) => {
			expect((await trip({ redirectTo })).redirectTo).toBe('/find-dev')
		},
	)
})

describe('invalid responses', () => {
	/** Somebody else's login, up to the callback. */
	const elsewhere = async () => {
		const begun = await beginFlow('campus', { viewer: null, linkTo: null, redirectTo: '', ip: '' })
		return { url: new URL(await campus.visit(begun.url)), cookies: cookiePairs(begun.headers) }
	}

	test('a callback in another browser: without the cookie, or with that of another login', async () => {
		const stolen = await elsewhere()
		const own = await elsewhere()
		for (const cookies of [[], ['login_flow=v1.AAAA'], own.cookies]) {
			const back = finishFlow('campus', visitOf(stolen.url, cookies), null, '')
			await expect(back).rejects.toThrow(NotAllowed)
		}
	})

	test.each<[string, (url: URL) => void]>([
		['no state', (url) => url.searchParams.delete('state')],
		['another issuer', (url) => url.searchParams.set('iss', 'https://evil.example')],
		['no issuer', (url) => url.searchParams.delete('iss')],
		['a code that was never given out', (url) => url.searchParams.set('code', 'x'.repeat(43))],
		['two codes', (url) => url.searchParams.append('code', 'x')],
		[
			'nothing',
			(url) => {
				url.search = ''
			},
		],
	])('%s', async (_what, back) => {
		await expect(trip({ back })).rejects.toThrow(/^The campus login (gave an answer|says that this login was used)/)
	})

	test('of two logins begun in one browser, the earlier one is refused, and the later one still counts', async () => {
		const [earlier, { url, cookies }] = [await elsewhere(), await elsewhere()]
		const refusal = await finishFlow('campus', visitOf(earlier.url, cookies), null, '').catch((error) => error)
		expect([refusal.message, isStillPending(refusal)]).toEqual([expect.stringMatching(/in another tab/), true])
		expect((await finishFlow('campus', visitOf(url, cookies), null, '')).message).toBe('Welcome!')
	})

	test('a used code', async () => {
		const { returned } = await trip()
		await expect(finishFlow('campus', returned, null, '')).rejects.toThrow('was used already or has expired')
	})

	test('the code of another login with the state of this one: nonce and PKCE differ', async () => {
		const other = await elsewhere()
		await expect(
			trip({ back: (url) => url.searchParams.set('code', other.url.searchParams.get('code') ?? '') }),
		).rejects.toThrow(NotAllowed)
	})

	test('an ID token signed with another key of the same name', async () => {
		campus.rotateKeys('key')
		await trip().catch(() => {})
		await trip()
		campus.rotateKeys('key')
		await expect(trip()).rejects.toThrow('The campus login gave an answer that cannot be believed')
		expect((await trip()).message).toBe('Welcome back!')
	})

	test.each<[string, (claims: Record<string, unknown>) => void, string?]>([
		['for another site', (claims) => Object.assign(claims, { aud: 'another-site' })],
		[
			'for another site, too, which asked for it',
			(claims) => Object.assign(claims, { aud: [campus.clientId, 'x'], azp: 'x' }),
		],
		['of another issuer', (claims) => Object.assign(claims, { iss: 'https://elsewhere.example' })],
		['that has expired', (claims) => Object.assign(claims, { exp: secondsFromNow(-120) }), 'a clock is wrong'],
		['that is not valid yet', (claims) => Object.assign(claims, { nbf: secondsFromNow(120) }), 'a clock is wrong'],
		['of another login', (claims) => Object.assign(claims, { nonce: 'x'.repeat(43) })],
		['of no login', (claims) => void delete claims.nonce],
		['of nobody', (claims) => void delete claims.sub],
		['of somebody else than the answer about the person', (claims) => Object.assign(claims, { sub: 'somebody-else' })],
	])('an ID token %s, though it is signed', async (_what, forge, words = 'cannot be believed') => {
		campus.forge = forge
		const refusal = await trip().catch((error: unknown) => error)
		campus.forge = null
		expect(refusal).toMatchObject({ message: expect.stringContaining(words) })
		expect((await trip()).message).toBe('Welcome!')
	})

	test('refused consent causes an error in words', async () => {
		await expect(
			trip({
				back: (url) => {
					url.searchParams.delete('code')
					url.searchParams.set('error', 'access_denied')
				},
			}),
		).rejects.toThrow('The campus login says that you did not agree, or may not log in here.')
	})

	test('a login after ten minutes, or with a provider that is not offered', async () => {
		const { url, cookies } = await elsewhere()
		vi.setSystemTime(Date.now() + 601_000)
		await expect(finishFlow('campus', visitOf(url, cookies), null, '')).rejects.toThrow('longer than ten minutes')
		vi.useRealTimers()
		await expect(beginFlow('google', { viewer: null, linkTo: null, redirectTo: '', ip: '' })).rejects.toThrow(NotFound)
	})
})

describe('an unavailable campus', () => {
	test('causes an error, logs nobody out, and works again with new keys', async () => {
		const { cookies } = await trip()
		const member = (await viewerWithCookies(cookies)) as SignedIn
		await sql`update provider_sessions set checked_at = now() - interval '1 day'`.execute(db())
		const [session = 0] = await sessionsOf(member)
		const away = trip({ back: () => void campus.stop() })
		await expect(away).rejects.toThrow(/^The campus login does not answer right now\. Try again/)
		await expect(checkSession(session)).rejects.toThrow(ProviderUnreachable)
		expect(await viewerWithCookies(cookies)).not.toBeNull()
		campus.rotateKeys()
		await campus.start()
		// Keys younger than a minute are not fetched again within an attempt.
		await trip().catch(() => {})
		expect((await viewerWithCookies((await trip()).cookies))?.id).toBe(member.id)
	})
})

describe('a person who has left the campus', () => {
	const waits = () => sql`update provider_sessions set checked_at = now() - interval '1 day'`.execute(db())

	test('an existing person stays, and is not checked again soon; others are logged out', async () => {
		const { cookies, headers } = await trip()
		const member = (await viewerWithCookies(cookies)) as SignedIn
		const [session = 0] = await sessionsOf(member)
		const tokenOf = async () =>
			(
				await sql<{
					refresh_token: string
				}>`select refresh_token from provider_sessions where session_id = ${session}`.execute(db())
			).rows[0]
		const stored = (await tokenOf())?.refresh_token ?? ''
		const token = decryptSecret(refreshPurpose(session), stored) ?? ''
		expect([stored.slice(0, 3), token.length > 20, stored.includes(token)]).toEqual(['v1.', true, false])
		expect(JSON.stringify([...headers])).not.toContain(token)
		await waits()
		await checkSession(session)
		expect(await viewerWithCookies(cookies)).not.toBeNull()
		campus.accounts.delete(campus.visitor)
		await checkSession(session)
		expect(await sessionsOf(member)).toEqual([session])
		await waits()
		await checkSession(session)
		expect([await sessionsOf(member), await viewerWithCookies(cookies)]).toEqual([[], null])
	})

	/** A member with an app, after the first step. */
	async function firstStep() {
		const member = (await viewerWithCookies((await trip()).cookies)) as SignedIn
		await sql`delete from sessions where user_id = ${member.id}`.execute(db())
		const code = await setUpApp(member)
		const refusal = await trip().catch((error: unknown) => error)
		if (!(refusal instanceof SecondStepRequired)) throw refusal
		return { member, secondStep: () => submitCode(code(), refusal.cookie) }
	}

	test('a session with a second factor is checked too; its pending data is encrypted', async () => {
		const { member, secondStep } = await firstStep()
		const { rows } = await sql<{
			kept: string
		}>`select kept from login_challenges where user_id = ${member.id}`.execute(db())
		expect(rows).toEqual([{ kept: expect.stringMatching(/^v1\.[\w-]+$/) }])
		const cookies = cookiePairs((await secondStep()).headers)
		await waits()
		const [session = 0] = await sessionsOf(member)
		await checkSession(session)
		expect((await viewerWithCookies(cookies))?.id).toBe(member.id)
		campus.accounts.delete(campus.visitor)
		await waits()
		await checkSession(session)
		expect([await sessionsOf(member), await viewerWithCookies(cookies)]).toEqual([[], null])
	})

	test('an identity that was unlinked before the second step starts no session', async () => {
		const { member, secondStep } = await firstStep()
		await sql`delete from identities where user_id = ${member.id}`.execute(db())
		await expect(secondStep()).rejects.toThrow('was removed in the meantime')
		expect(await sessionsOf(member)).toEqual([])
	})

	test('using a session triggers the check', async () => {
		await save({ endsSessions: 'on' })
		const { cookies } = await trip()
		await waits()
		campus.accounts.delete(campus.visitor)
		await viewerWithCookies(cookies)
		await eventually(async () => expect(await viewerWithCookies(cookies)).toBeNull())
	})
})

describe('linking', () => {
	test('a member links, logs in with it and unlinks it, except the last login method', async () => {
		const { cookies } = await trip()
		const member = (await viewerWithCookies(cookies)) as SignedIn
		const [session = 0] = await sessionsOf(member)
		const [own] = (await listLogins(member)).linked
		await expect(unlinkIdentity(member, own?.id ?? 0, session)).rejects.toThrow('your only way to log in')
		await sql`insert into credentials (user_id, account_id, provider_id, password) values (${member.id}, ${member.id}, 'credential', 'x')`.execute(
			db(),
		)
		await unlinkIdentity(member, own?.id ?? 0, session)
		await expect(unlinkIdentity(member, own?.id ?? 0, session)).rejects.toThrow(NotFound)
		await trip({ linkTo: member.id, has: cookies })
		await trip({ linkTo: member.id, has: cookies })
		const mails = (await queuedMails(`student${made}@eastmere.example`)).map(({ subject }) => subject)
		expect(mails).toEqual([`You can log in with the campus login at ${siteName()}`])
		const { linked, open } = await listLogins(member)
		expect([linked.map(({ provider, name }) => [provider, name]), open]).toEqual([[['campus', `student${made}`]], []])
		expect((await viewerWithCookies((await trip()).cookies))?.id).toBe(member.id)
		// No other account is opened, and no second identity is linked.
		const [visitor] = [campus.visitor]
		made += 1
		enrol({ sub: `second-${made}` })
		await expect(trip({ linkTo: member.id, has: cookies })).rejects.toThrow('is linked already')
		const other = await trip()
		const stranger = (await viewerWithCookies(other.cookies)) as SignedIn
		campus.visitor = visitor
		await expect(trip({ linkTo: stranger.id, has: other.cookies })).rejects.toThrow('already opens another account')
	})

	test('linking cannot be completed in another member’s session', async () => {
		const one = await trip()
		const member = (await viewerWithCookies(one.cookies)) as SignedIn
		made += 1
		enrol({ sub: `other-${made}` })
		const other = await trip()
		for (const has of [[], other.cookies])
			await expect(trip({ linkTo: member.id, has })).rejects.toThrow('You were logged out in the meantime')
		expect(await verifiedLinks(member.id)).toEqual([])
	})
})
