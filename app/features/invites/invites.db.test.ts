import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import { registerMember } from '~/features/accounts/accounts.server.ts'
import { authHandler } from '~/features/accounts/auth-handler.server.ts'
import { logIn } from '~/features/accounts/login.server.ts'
import { replaceRegistration } from '~/features/accounts/registration/registrations.queries.server.ts'
import { confirmAddress } from '~/features/accounts/registration/registrations.server.ts'
import { challengeFor } from '~/features/accounts/registration/rules.server.ts'
import { viewerFromRequest } from '~/features/accounts/viewer.server.ts'
import { listMembers, readFilters } from '~/features/administration/members/members.server.ts'
import { features } from '~/features/index.server.ts'
import { registerSections, saveSection } from '~/features/site-settings/site-settings.server.ts'
import { NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import type { SignedIn, Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { checkProof, newChallenge, WAIT_WITHOUT_SCRIPTS_MS } from '~/platform/proof/proof.server.ts'
import { findProof } from '~/platform/proof/proof.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { cookiesOf, form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { mailedToken, resetCounts, sentMails, useJobTables } from '../../../tests/support/jobs.ts'
import { findInvite, writeRegistrationInvite } from './joining/invites.queries.server.ts'
import { getInvites, makeInvite, revokeInvite } from './joining/invites.server.ts'
import { registerInvited, requireInvite } from './joining/joining.server.ts'
import { deleteInvitedAddresses } from './lists/lists.queries.server.ts'
import { discardList, getList, getLists, mailLists, makeList, sendList, stopList } from './lists/lists.server.ts'
import { readAddresses } from './lists/reading.ts'

useDatabase()
useJobTables()

const password = 'a lantern at the ford'
let made = 0
let admin: SignedIn
let moderator: SignedIn
let mira: SignedIn

beforeAll(async () => {
	registerSections(features.flatMap(({ settingSections }) => settingSections ?? []))
	admin = await makeMember('admin', 'admin')
	moderator = await makeMember('moderator', 'moderator')
	mira = await makeMember('mira')
})

beforeEach(async () => {
	await resetCounts()
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	await set({})
})

/** Sets who may register. */
async function set(input: Record<string, string>): Promise<void> {
	const { rows } = await sql<{ version: number }>`
		select version from site_settings where section = 'registration'`.execute(db())
	const version = String(rows[0]?.version ?? 1)
	await saveSection(admin, 'registration', { mode: 'open', domains: '', doModeratorsInvite: '', version, ...input })
}

function newEmail(): string {
	made += 1
	return `newcomer${made}@eastmere.example`
}

const fieldsOf = (email: string) => ({ name: 'New Comer', email, password, confirmPassword: password })
const joinBy = (token: string, email = newEmail(), more = {}) =>
	registerInvited(form({ token, ...fieldsOf(email), ...more }), request())
const linkOf = async (input = {}, who = admin) =>
	(await makeInvite(who, { uses: '1', days: '7', cohort: 'CSE 2027', ...input })).address.split('token=')[1] ?? ''

async function memberOf(email: string) {
	const { rows } = await sql<{ id: number; cohort: string; email_verified: boolean }>`
		select id, cohort, email_verified from users where email = ${email}`.execute(db())
	return rows[0]
}

describe('who may register', () => {
	test.each([
		[{ mode: 'open' }, null],
		[{ mode: 'open', domains: 'eastmere.example' }, null],
		[{ mode: 'open', domains: 'campus.example' }, 'Only addresses of campus.example can register here.'],
		[{ mode: 'invited' }, 'You need an invitation to register here. Open the link in it.'],
		[{ mode: 'closed' }, 'Nobody can register here at the moment.'],
	])('%j', async (settings, refusal) => {
		await set(settings)
		const email = newEmail()
		const page = registerMember(form(fieldsOf(email)), request())
		if (refusal) await expect(page).rejects.toThrow(refusal)
		else await page
		const headers = {
			'Content-Type': 'application/json',
			'x-client-ip': '198.51.100.7',
			Origin: 'http://localhost:3000',
		}
		const body = JSON.stringify({ name: 'New Comer', email: newEmail(), password })
		const url = 'http://localhost:3000/api/auth/sign-up/email'
		const program = await authHandler(new Request(url, { method: 'POST', headers, body }))
		expect(program.status).toBe(refusal ? 403 : 200)
		expect(await memberOf(email)).toEqual(refusal ? undefined : expect.anything())
	})

	test('the honeypot field must be empty', async () => {
		const email = newEmail()
		await expect(registerMember(form({ ...fieldsOf(email), website: 'x' }), request())).rejects.toThrow(
			'A hidden field was filled in',
		)
		expect(await memberOf(email)).toBeUndefined()
	})
})

describe('proof of work', () => {
	/** Thirty-one registrations, after the wait that follows them. */
	const many = () =>
		sql`
			insert into attempts (key, count, last_at)
			values (${`register-address:${hashToken('198.51.100.7')}`}, 31, now() - interval '5 minutes')
			on conflict (key) do update set count = excluded.count, last_at = excluded.last_at`.execute(db())
	const registerWith = async (email: string, more = {}) => {
		await many()
		await registerMember(form({ ...fieldsOf(email), ...more }), request())
	}

	test('is required after many registrations from an address, and valid once', async () => {
		expect(await challengeFor('198.51.100.7')).toBeNull()
		await many()
		expect(await challengeFor('198.51.100.8')).toBeNull()
		await expect(registerWith(newEmail())).rejects.toThrow('Press Register again.')
		const challenge = (await challengeFor('198.51.100.7')) ?? ''
		await expect(registerWith(newEmail(), { challenge, proof: '' })).rejects.toThrow('Wait half a minute')
		const proof = findProof(challenge)
		const email = newEmail()
		await registerWith(email, { challenge, proof })
		expect(await memberOf(email)).toBeDefined()
		await expect(registerWith(newEmail(), { challenge, proof })).rejects.toThrow('Too many attempts')
	})

	test('missing proofs are not counted for the network, and have a limit of their own', async () => {
		await many()
		const counted = async () =>
			(
				await sql`
					select key, count, last_at from attempts where key not like 'register-unproven%' order by key`.execute(db())
			).rows
		const before = await counted()
		const refusals: unknown[] = []
		for (let one = 0; one < 61; one += 1)
			await registerMember(form(fieldsOf(newEmail())), request()).catch((error: unknown) => refusals.push(error))
		expect(refusals.slice(0, 60)).toEqual(Array(60).fill(expect.any(NotAllowed)))
		expect(refusals.at(60)).toBeInstanceOf(TooManyRequests)
		expect(await counted()).toEqual(before)
		const challenge = (await challengeFor('198.51.100.7')) ?? ''
		const email = newEmail()
		await registerMember(form({ ...fieldsOf(email), challenge, proof: findProof(challenge) }), request())
		expect(await memberOf(email)).toBeDefined()
	})

	test('depends on the action and its time', () => {
		const now = Date.now()
		const challenge = newChallenge(now)
		const proof = findProof(challenge)
		expect(checkProof(challenge, proof, now)).toBe('done')
		expect(checkProof(challenge, String(Number(proof) + 1), now)).toBe('invalid')
		expect(checkProof(challenge, 'x', now)).toBe('invalid')
		expect(checkProof(challenge, '', now + WAIT_WITHOUT_SCRIPTS_MS - 1)).toBe('early')
		expect(checkProof(challenge, '', now + WAIT_WITHOUT_SCRIPTS_MS)).toBe('waited')
		expect(checkProof(challenge, proof, now + 3_600_001)).toBe('invalid')
		const easier = challenge.split('.').with(2, '1').join('.')
		expect(checkProof(easier, findProof(easier), now)).toBe('invalid')
		for (const odd of ['', 'x', '1.2.3.4', `${challenge}x`]) expect(checkProof(odd, '1', now)).toBe('invalid')
	})
})

describe('a link', () => {
	test('registers its number of members, even if registration is closed, and records them', async () => {
		await set({ mode: 'invited' })
		const token = await linkOf({ uses: '2' })
		const { rows } = await sql<{ token_hash: string }>`select token_hash from invites order by id desc limit 1`.execute(
			db(),
		)
		expect(rows[0]?.token_hash).toBe(hashToken(token))
		expect(await requireInvite(token)).toEqual({ email: null, cohort: 'CSE 2027', hasPassword: true, domains: [] })
		const email = newEmail()
		expect(await joinBy(token, email)).toMatchObject({ email, confirm: false })
		expect(await memberOf(email)).toMatchObject({ cohort: 'CSE 2027', email_verified: false })
		const cookie = cookiesOf(await logIn(form({ email, password }), request()))
		expect((await viewerFromRequest(request(cookie), { fresh: true })).viewer).not.toBeNull()
		const last = await Promise.allSettled([joinBy(token), joinBy(token), joinBy(token)])
		expect(last.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		await expect(requireInvite(token)).rejects.toThrow('has been used up')
		const [link] = (await getInvites(admin)).rows
		expect(link).toMatchObject({ used: 2, maxUses: 2, state: 'used up', by: 'admin', cohort: 'CSE 2027' })
		const none = readFilters(new Map())
		for (const filter of [{ cohort: 'cse 2027' }, { invite: String(link?.id) }])
			expect((await listMembers(admin, { ...none, ...filter }, null)).rows).toHaveLength(2)
	})

	test('a pending registration takes one use', async () => {
		vi.spyOn(config(), 'REQUIRE_EMAIL_VERIFICATION', 'get').mockReturnValue(true)
		const token = await linkOf()
		const email = newEmail()
		await joinBy(token, email)
		// Registering again replaces the first registration.
		expect(await joinBy(token, email)).toMatchObject({ confirm: true })
		await expect(joinBy(token)).rejects.toThrow('has been used up')
		expect(await memberOf(email)).toBeUndefined()
		await confirmAddress({ token: await mailedToken(email), password }, request())
		expect(await memberOf(email)).toMatchObject({ cohort: 'CSE 2027', email_verified: true })
		const other = await linkOf()
		await joinBy(other, newEmail())
		await sql`update registrations set created_at = now() - interval '25 hours'`.execute(db())
		expect(await joinBy(other)).toMatchObject({ confirm: true })
	})

	test('a revoked, expired or unknown link is invalid', async () => {
		const token = await linkOf({ uses: '5' })
		const [link] = (await getInvites(admin)).rows
		await revokeInvite(admin, link?.id ?? 0)
		await expect(revokeInvite(admin, link?.id ?? 0)).rejects.toThrow('already been revoked')
		const refused = [requireInvite(token), joinBy(token)].map((act) => expect(act).rejects.toThrow('withdrawn'))
		await Promise.all(refused)
		const old = await linkOf()
		await sql`update invites set expires_at = now() where token_hash = ${hashToken(old)}`.execute(db())
		await expect(joinBy(old)).rejects.toThrow('has expired')
		await expect(joinBy('nothing')).rejects.toThrow('not a valid invitation')
		await set({ mode: 'closed' })
		const open = await linkOf()
		const closed = [requireInvite(open), joinBy(open)].map((act) =>
			expect(act).rejects.toThrow('Nobody can register here'),
		)
		await Promise.all(closed)
	})

	test('leaves nothing of a registration during its revocation', async () => {
		const email = newEmail()
		const token = await linkOf()
		const [{ id } = { id: 0 }] = (await getInvites(admin)).rows
		let revoking: Promise<void> | undefined
		await db()
			.transaction()
			.execute(async (trx) => {
				await findInvite(hashToken(token), trx, { lock: true })
				revoking = revokeInvite(admin, id)
				await eventually(async () => {
					const { rows } = await sql`select from pg_locks where not granted`.execute(db())
					expect(rows).not.toEqual([])
				})
				await replaceRegistration({ email, name: 'New', password_hash: 'x', device_hash: 'x', agreed_to: 0 }, trx)
				await writeRegistrationInvite(trx, email, id)
			})
		await revoking
		expect((await sql`select from registrations where email = ${email}`.execute(db())).rows).toEqual([])
	})

	test('applies the rules of registration', async () => {
		await set({ domains: 'eastmere.example' })
		const token = await linkOf({ uses: '50' })
		const refused: [Record<string, string>, RegExp][] = [
			[{ email: 'x@elsewhere.example' }, /Only addresses of eastmere.example/],
			[{ email: '' }, /Email is required|valid email/],
			[{ password: 'Password1', confirmPassword: 'Password1' }, /too common/],
			[{ confirmPassword: 'other' }, /doesn't match/],
			[{ name: 'Site Administrator' }, /staff member/],
			[{ website: 'x' }, /hidden field/],
		]
		for (const [more, message] of refused) await expect(joinBy(token, newEmail(), more)).rejects.toThrow(message)
	})

	test('is made by admins, and by moderators if the settings allow it', async () => {
		const inputs = [
			{ uses: '0', days: '7' },
			{ uses: '1', days: '366' },
			{ uses: '1', days: 'x' },
			{ uses: '1', days: '7', cohort: 'x'.repeat(61) },
		]
		for (const input of inputs) await expect(makeInvite(admin, input)).rejects.toThrow(/whole number|at most 60/)
		for (const who of [null, mira, moderator]) await expect(linkOf({}, who as SignedIn)).rejects.toThrow(NotAllowed)
		await set({ doModeratorsInvite: 'on' })
		expect(await linkOf({}, moderator)).toHaveLength(32)
		await expect(linkOf({}, mira)).rejects.toThrow(NotAllowed)
		for (const who of [null, mira, moderator] as Viewer[])
			for (const act of [getLists(who), makeList(who, { days: '7', addresses: 'a@b.example' }), sendList(who, 1)])
				await expect(act).rejects.toThrow(NotAllowed)
	})
})

describe('a list of addresses', () => {
	const invited = async () => (await sentMails()).filter(({ subject }) => subject === 'Join DevQuad')

	test('is parsed line by line, with reasons for skipped lines', () => {
		const text =
			'\uFEFFName;E-Mail\r\n"Quill, Mira";MIRA@eastmere.example\r\nX;mira@Eastmere.example\r\n\r\nY;nobody\nZ;z@foreign.example\nW;'
		const read = readAddresses(text, (email) => email.endsWith('@eastmere.example'))
		expect([...read.addresses]).toEqual([['mira@eastmere.example', 2]])
		expect(read.lines).toBe(5)
		expect([...read.doubled, ...read.invalid, ...read.refused]).toEqual([
			{ line: 3, text: 'mira@Eastmere.example', why: 'It is already in line 2.' },
			{ line: 5, text: 'nobody', why: 'This is not an email address.' },
			{ line: 7, text: '', why: 'There is no address in this line.' },
			{ line: 6, text: 'z@foreign.example', why: 'Addresses of this domain cannot register here.' },
		])
	})

	test('loses the lines of a member who leaves, and none with an address that merely ends with theirs', async () => {
		const email = newEmail()
		const id = await makeList(admin, { days: '7', addresses: [email, email, `jo${email}`, `jo${email}`].join('\n') })
		const leftOut = async () => (await getList(admin, id)).report.leftOut.map(({ line }) => line)
		expect(await leftOut()).toEqual([2, 4])
		await deleteInvitedAddresses({ id: admin.id, emails: [email] })
		expect(await leftOut()).toEqual([4])
		expect(await getList(admin, id)).toMatchObject({ total: 1 })
	})

	test('of 50,000 lines is stored within seconds, and one more is refused', async () => {
		const line = (_: unknown, index: number) => `student${index}@eastmere.example`
		const file = new File([Array.from({ length: 50_000 }, line).join('\n')], 'list.csv')
		const id = await makeList(admin, { days: '7', file })
		expect(await getList(admin, id)).toMatchObject({ total: 50_000, state: 'draft' })
		await discardList(admin, id)
		await expect(getList(admin, id)).rejects.toThrow('no such list')
		await expect(makeList(admin, { days: '7', addresses: 'x\n'.repeat(50_001) })).rejects.toThrow('has 50,001')
		await expect(makeList(admin, { days: '7', addresses: ' \n' })).rejects.toThrow('Choose a file')
	})

	test('is checked before it is mailed; each address gets one mail, despite stops and crashes', async () => {
		const emails = Array.from({ length: 50 }, newEmail)
		const addresses = [...emails, 'mira@campus.example', 'x@', emails[0]].join('\n')
		const id = await makeList(admin, { days: '7', cohort: 'ECE 2028', addresses })
		const list = await getList(admin, id)
		expect(list.report).toMatchObject({ lines: 53, valid: 50, members: 1, invalid: 1, doubled: 1 })
		expect(list.report.leftOut.map(({ line }) => line)).toEqual([51, 52, 53])
		await mailLists()
		expect(await invited()).toEqual([])
		await sendList(admin, id)
		await expect(sendList(admin, id)).rejects.toThrow('already being sent')
		await expect(discardList(admin, id)).rejects.toThrow('Only a list that was never sent')
		await mailLists(20)
		await stopList(admin, id)
		await mailLists()
		expect(await getList(admin, id)).toMatchObject({ state: 'stopped', mailed: 20 })
		await sendList(admin, id)
		// Simulates a crash within a batch: neither the records nor the jobs of the batch are written.
		await sql`alter table invited_addresses add constraint killed check (email <> ${sql.lit(emails[35])} or mailed_at is null)`.execute(
			db(),
		)
		await expect(mailLists()).rejects.toThrow('killed')
		await sql`alter table invited_addresses drop constraint killed`.execute(db())
		// Two processes at the same time.
		await Promise.all([mailLists(), mailLists()])
		await mailLists()
		expect(await getList(admin, id)).toMatchObject({ state: 'done', mailed: 50, total: 50 })
		expect((await invited()).map(({ to }) => to).sort()).toEqual([...emails].sort())
	})

	test('each link registers one member with a confirmed address, whoever it is passed on to', async () => {
		await set({ mode: 'invited', domains: 'campus.example' })
		const email = newEmail().replace('eastmere', 'campus')
		const id = await makeList(admin, { days: '7', cohort: 'ME 2029', addresses: email })
		await sendList(admin, id)
		await mailLists()
		const token = await mailedToken(email)
		expect(await requireInvite(token)).toMatchObject({ email, cohort: 'ME 2029' })
		const both = await Promise.allSettled([joinBy(token, 'other@elsewhere.example'), joinBy(token)])
		expect(both.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
		expect(await memberOf(email)).toMatchObject({ cohort: 'ME 2029', email_verified: true })
		expect(await memberOf('other@elsewhere.example')).toBeUndefined()
		await expect(requireInvite(token)).rejects.toThrow('Somebody has already joined with this invitation')
		expect(await getList(admin, id)).toMatchObject({ joined: 1, mailed: 1 })
	})

	test('a link stays used when its member has changed the address', async () => {
		const email = newEmail()
		await sendList(admin, await makeList(admin, { days: '7', addresses: email }))
		await mailLists()
		const token = await mailedToken(email)
		await joinBy(token)
		await sql`update users set email = ${newEmail()} where email = ${email}`.execute(db())
		await expect(requireInvite(token)).rejects.toThrow('Somebody has already joined with this invitation')
		await expect(joinBy(token)).rejects.toThrow('Somebody has already joined with this invitation')
	})

	test('does not mail addresses that have registered meanwhile', async () => {
		const email = newEmail()
		const id = await makeList(admin, { days: '7', addresses: email })
		await registerMember(form(fieldsOf(email)), request())
		await sendList(admin, id)
		await mailLists()
		expect(await invited()).toEqual([])
		expect(await getList(admin, id)).toMatchObject({ state: 'done' })
	})
})
