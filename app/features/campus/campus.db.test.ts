import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { sendAccountMail } from '~/features/accounts/registration/account-mails.server.ts'
import { getAcademics, saveAcademics } from '~/features/profile-editor/editing.server.ts'
import { getProfile } from '~/features/profiles/profiles.server.ts'
import { Conflict, Invalid, NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { ALL_PAGES, pageCache } from '~/platform/cache/pages.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { filled } from '../../../tests/factories/profiles.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { queuedMails, resetCounts } from '../../../tests/support/jobs.ts'
import {
	activateCampusLink,
	confirmCampus,
	confirmCampusByLogin,
	findCampusLink,
	getCampus,
	remindOfCampusExpiry,
	requestCampusVerification,
	resendCampusLink,
} from './campus.server.ts'
import { CAMPUS_LIFETIME_MS } from './campus.view.ts'

useDatabase()

const mit = 'Massachusetts Institute of Technology'
const day = 86_400_000
let made = 0
let mira: SignedIn

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

beforeEach(async () => {
	mira = await withAddress(`mira${made}@cs.mit.edu`)
})

/** A new member who has saved this university address. */
async function withAddress(email: string): Promise<SignedIn> {
	made += 1
	const member = await makeMember(`member${made}`)
	await setAddress(member, email)
	return member
}

async function setAddress(member: SignedIn, university_email: string): Promise<void> {
	const { version } = await getAcademics(member, member.username)
	await saveAcademics(member, member.username, { ...filled.academics, university_email, version })
}

/** Requests a link, from an IP address of its own, and reads it from the mail. */
async function linkOf(member: SignedIn): Promise<string> {
	const email = await requestCampusVerification(member, member.username, `198.51.100.${made}`)
	const mail = (await queuedMails(email)).at(-1)
	return /confirm-campus\?token=(\S+)/.exec(mail?.text ?? '')?.[1] ?? ''
}

const campusShown = async (member: SignedIn) => (await getProfile(mira, member.username)).campus

beforeEach(resetCounts)

test('the mailed link confirms the address once, and everybody sees it on the profile', async () => {
	const email = (await getCampus(mira, mira.username)).email
	const token = await linkOf(mira)
	const [mail] = await queuedMails(email)
	expect(mail?.subject).toBe('Confirm your university address for DevQuad')
	expect(mail?.text).toContain(`The member @${mira.username} of DevQuad`)
	expect(mail?.text).toContain('works once, for 10 minutes')
	expect(mail?.html).toContain(`href="http://localhost:3000/confirm-campus?token=${token}"`)
	expect(await findCampusLink(token)).toMatchObject({
		username: mira.username,
		email,
		university: mit,
	})
	expect(await campusShown(mira)).toBe('')
	expect(await confirmCampus(token)).toEqual({ username: mira.username, university: mit })
	const bram = await makeMember(`bram${made}`)
	const seen = await getProfile(bram, mira.username)
	expect(seen.campus).toBe(mit)
	expect(JSON.stringify(seen)).not.toContain(email)
	expect(await getCampus(mira, mira.username)).toMatchObject({ state: 'verified', university: mit })
	await expect(confirmCampus(token)).rejects.toThrow(Invalid)
	await expect(findCampusLink(token)).rejects.toThrow('This link has been used')
})

test('of two concurrent uses of a link one confirms', async () => {
	const token = await linkOf(mira)
	const outcomes = await Promise.allSettled([confirmCampus(token), confirmCampus(token), confirmCampus(token)])
	expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
})

test('stores only hashes of tokens', async () => {
	const token = await linkOf(mira)
	const { rows } = await sql<{ token_hash: string }>`select token_hash from campus_links`.execute(db())
	expect(rows.map(({ token_hash }) => token_hash)).not.toContain(token)
	for (const { token_hash } of rows) await expect(confirmCampus(token_hash)).rejects.toThrow(Invalid)
})

test.each([
	['a link', async (member: SignedIn) => void (await confirmCampus(await linkOf(member)))],
	['a login', async (member: SignedIn) => confirmCampusByLogin(member.id, `mira${made - 1}@cs.mit.edu`)],
])('visitors see a student who was verified by %s at once', async (_, confirm) => {
	await pageCache.fill(
		'/find-dev',
		[ALL_PAGES],
		async () => ({ status: 200, headers: {}, br: Buffer.alloc(0) }) as never,
	)
	await confirm(mira)
	expect(await campusShown(mira)).toBe(mit)
	expect(pageCache.get('/find-dev')).toBeUndefined()
})

describe('a link is invalid:', () => {
	test('after a day', async () => {
		const token = await linkOf(mira)
		await sql`update campus_links set expires_at = now() - interval '1 second'`.execute(db())
		await expect(confirmCampus(token)).rejects.toThrow('has expired')
		await expect(resendCampusLink(token, '192.0.2.1')).rejects.toThrow('has expired')
		expect(await activateCampusLink(token)).toBe(false)
	})

	test('ten minutes after it was sent; its page then mails another one to the same address', async () => {
		const { email } = await getCampus(mira, mira.username)
		const token = await linkOf(mira)
		await sql`update campus_links set works_until = now()`.execute(db())
		// The mail was delayed: the lifetime starts when it is sent.
		expect(await activateCampusLink(token)).toBe(true)
		expect(await findCampusLink(token)).toMatchObject({ email })
		await sql`update campus_links set works_until = works_until - interval '10 minutes'`.execute(db())
		expect(await findCampusLink(token)).toBeNull()
		await expect(confirmCampus(token)).rejects.toThrow('works for 10 minutes')
		await sql`update users set suspended_until = 'infinity' where id = ${mira.id}`.execute(db())
		await expect(resendCampusLink(token, '192.0.2.1')).rejects.toThrow(NotAllowed)
		await sql`update users set suspended_until = null where id = ${mira.id}`.execute(db())
		await resendCampusLink(token, '192.0.2.1')
		const next = /confirm-campus\?token=(\S+)/.exec((await queuedMails(email)).at(-1)?.text ?? '')?.[1] ?? ''
		await expect(confirmCampus(token)).rejects.toThrow('has expired')
		expect((await confirmCampus(next)).university).toBe(mit)
	})

	test('after a newer one replaced it', async () => {
		const first = await linkOf(mira)
		const second = await linkOf(mira)
		await expect(confirmCampus(first)).rejects.toThrow(Invalid)
		expect((await confirmCampus(second)).university).toBe(mit)
	})

	test('after the address was changed', async () => {
		const token = await linkOf(mira)
		await setAddress(mira, 'other@mit.edu')
		await expect(findCampusLink(token)).rejects.toThrow(Invalid)
		await expect(confirmCampus(token)).rejects.toThrow(Invalid)
		expect(await campusShown(mira)).toBe('')
	})

	test.each(['', 'x', "' or true --", 'a'.repeat(43), '\u0000'])('%j', async (token) => {
		await expect(confirmCampus(token)).rejects.toThrow(Invalid)
		await expect(findCampusLink(token)).rejects.toThrow(Invalid)
	})
})

test.each([
	['', 'Save your university email first.'],
	['mira@gmail.com', 'gmail.com is not the email domain of a university'],
	['mira@notmit.edu', 'notmit.edu is not the email domain'],
	['mira@ac.in', 'ac.in is not the email domain'],
	['mira@eastmere.example', 'eastmere.example is not the email domain'],
	['mira@upes.ac.in', 'cannot be used to verify you'],
	['mira@mail.upes.ac.in', 'cannot be used to verify you'],
])('no mail goes to %j', async (email, reason) => {
	const member = await withAddress(email)
	await expect(requestCampusVerification(member, member.username, '192.0.2.1')).rejects.toThrow(reason)
	expect(await queuedMails(email)).toEqual([])
})

test('nobody else can request a link or see the status', async () => {
	const bram = await makeMember(`other${made}`)
	for (const viewer of [null, bram]) {
		await expect(requestCampusVerification(viewer, mira.username, '192.0.2.1')).rejects.toThrow(NotAllowed)
		await expect(getCampus(viewer, mira.username)).rejects.toThrow(NotAllowed)
	}
})

test('limits: three mails an hour per address, five a day per member', async () => {
	const quiet = `quiet${made}@mit.edu`
	await setAddress(mira, quiet)
	for (let mail = 0; mail < 3; mail += 1) await linkOf(mira)
	await expect(linkOf(mira)).rejects.toThrow(TooManyRequests)
	const bram = await withAddress(quiet)
	await expect(linkOf(bram)).rejects.toThrow(TooManyRequests)
	await setAddress(mira, `quieter${made}@mit.edu`)
	await linkOf(mira)
	await expect(linkOf(mira)).rejects.toThrow(TooManyRequests)
	expect(await queuedMails(quiet)).toHaveLength(3)
})

test('a link is also mailed to an address that got all mails about an account, which a refusal would reveal', async () => {
	const email = `owner${made}@mit.edu`
	const owner = await makeMember(`owner${made}`)
	await sql`update users set email = ${email} where id = ${owner.id}`.execute(db())
	for (let sent = 0; sent < 4; sent += 1) await sendAccountMail({ kind: 'reset', email })
	expect(await queuedMails(email)).toHaveLength(3)
	await setAddress(mira, email)
	expect(await linkOf(mira)).not.toBe('')
})

describe('an address', () => {
	test('verifies one account at a time, ignoring a part after a plus sign', async () => {
		await confirmCampus(await linkOf(await withAddress('solo@mit.edu')))
		for (const address of ['solo@mit.edu', 'solo+2@mit.edu']) {
			const second = await withAddress(address)
			const token = await linkOf(second)
			await expect(confirmCampus(token)).rejects.toThrow(Conflict)
			expect(await campusShown(second)).toBe('')
			expect((await findCampusLink(token))?.username).toBe(second.username)
		}
	})

	test('verifies one of two concurrent accounts', async () => {
		const pair = [await withAddress('twin@mit.edu'), await withAddress('twin+1@mit.edu')]
		const tokens = [await linkOf(pair[0] as SignedIn), await linkOf(pair[1] as SignedIn)]
		const outcomes = await Promise.allSettled(tokens.map((token) => confirmCampus(token)))
		expect(outcomes.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
	})

	test('is released when the other account changes it, or its year is over', async () => {
		const first = await withAddress('moving@mit.edu')
		await confirmCampus(await linkOf(first))
		await setAddress(first, '')
		expect(await campusShown(first)).toBe('')
		const second = await withAddress('moving@mit.edu')
		await confirmCampus(await linkOf(second))
		await age(second, CAMPUS_LIFETIME_MS + day)
		expect(await campusShown(second)).toBe('')
		const third = await withAddress('moving@mit.edu')
		await confirmCampus(await linkOf(third))
		expect(await campusShown(third)).toBe(mit)
	})
})

test('an expired confirmation is renewed by a new link', async () => {
	const member = await withAddress('again@mit.edu')
	await confirmCampus(await linkOf(member))
	await age(member, CAMPUS_LIFETIME_MS)
	expect((await getCampus(member, member.username)).state).toBe('lapsed')
	await confirmCampus(await linkOf(member))
	expect((await getCampus(member, member.username)).state).toBe('verified')
})

test('reminds the member two weeks before the end, once per year', async () => {
	const member = await withAddress('reminded@mit.edu')
	const own = `${member.username}@campus.example`
	await confirmCampus(await linkOf(member))
	await age(member, CAMPUS_LIFETIME_MS - 15 * day)
	await remindOfCampusExpiry()
	expect(await queuedMails(own)).toEqual([])
	await age(member, CAMPUS_LIFETIME_MS - 13 * day)
	await Promise.all([remindOfCampusExpiry(), remindOfCampusExpiry()])
	await remindOfCampusExpiry()
	const mails = await queuedMails(own)
	expect(mails).toHaveLength(1)
	expect(mails[0]?.subject).toBe(`Still at ${mit}?`)
	expect(mails[0]?.text).toContain(`http://localhost:3000/edit-profile/${member.username}/academics`)
	await confirmCampus(await linkOf(member))
	await age(member, CAMPUS_LIFETIME_MS - 13 * day)
	await remindOfCampusExpiry()
	expect(await queuedMails(own)).toHaveLength(2)
})

test('reminds no member who is leaving, until they come back', async () => {
	const member = await withAddress('leaving@mit.edu')
	await confirmCampus(await linkOf(member))
	await age(member, CAMPUS_LIFETIME_MS - 13 * day)
	const leaves = (at: string | null) =>
		sql`update users set leaves_at = ${at}::timestamptz where id = ${member.id}`.execute(db())
	for (const [at, mails] of [
		['tomorrow', 0],
		[null, 1],
	] as const) {
		await leaves(at)
		await remindOfCampusExpiry()
		expect(await queuedMails(`${member.username}@campus.example`)).toHaveLength(mails)
	}
})

async function age(member: SignedIn, milliseconds: number): Promise<void> {
	await db()
		.updateTable('profiles')
		.set({ campus_verified_at: new Date(Date.now() - milliseconds) })
		.where('user_id', '=', member.id)
		.execute()
}
