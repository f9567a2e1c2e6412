import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config, parseConfig } from '~/config.server.ts'
import { addPromotion } from '~/features/moderation/members.server.ts'
import { authenticateToken, makeToken } from '~/features/tokens/tokens.server.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { cookiesOf, form, request } from '../../../../tests/support/browser.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { mailedToken, resetCounts, sentMails } from '../../../../tests/support/jobs.ts'
import { registerMember } from '../accounts.server.ts'
import { logIn } from '../login.server.ts'
import { requestPasswordReset, resetPassword } from '../security/change-password.server.ts'
import { viewerFromRequest } from '../viewer.server.ts'
import { claimAdmin, closeDemoAccounts, makeAdminClaim, type Promotion, requireAdminClaim } from './admin.server.ts'
import { areDemoAccountsOpen, isLoopback } from './demo-accounts.server.ts'
import { sweepRegistrations } from './registrations.queries.server.ts'
import { confirmAddress, denyRegistration, findConfirmation } from './registrations.server.ts'

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

beforeEach(async () => {
	await resetCounts()
	await sql`update users set role = 'member'`.execute(db())
	await sql`delete from admin_claims`.execute(db())
	config().ADMIN_EMAIL = ''
})

const password = 'a lantern at the ford'

const register = (email: string, secret = password) =>
	registerMember(form({ name: 'Wanda Warden', email, password: secret, confirmPassword: secret }), request())

async function enter(email: string, secret = password): Promise<string> {
	return cookiesOf(await logIn(form({ email, password: secret }), request()))
}

async function roleOf(email: string): Promise<string | undefined> {
	return (await db().selectFrom('users').select('role').where('email', '=', email).executeTakeFirst())?.role
}

const byLink = 'as admin, by the link that the start of the site printed'

/** Runs the queued jobs about promotions. @returns what the log says of them */
async function listPromotions() {
	const queued = await sql<{ payload: Promotion }>`
		delete from graphile_worker._private_jobs job using graphile_worker._private_tasks task
		where task.id = job.task_id and task.identifier = 'log-promotion' returning payload`.execute(db())
	for (const { payload } of queued.rows) await addPromotion(payload)
	const { rows } = await sql`
		select actor_id, member_id, facts->>'note' as note from moderation_log where act = 'appoint' order by id`.execute(
		db(),
	)
	return rows
}

const emailOf = ({ username }: SignedIn) => `${username}@campus.example`

async function claimToken(): Promise<string> {
	return new URL((await makeAdminClaim()) ?? '', config().publicUrl).searchParams.get('token') ?? ''
}

test('a start without an admin prints a link, whose token is not stored', async () => {
	const link = await makeAdminClaim()
	expect(link).toMatch(/^\/claim-admin\?token=[\w-]{32}$/)
	const { rows } = await sql<{ token_hash: string }>`select token_hash from admin_claims`.execute(db())
	expect(rows).toHaveLength(1)
	expect(link).not.toContain(rows[0]?.token_hash)
	config().ADMIN_EMAIL = 'somebody@campus.example'
	expect(await makeAdminClaim()).toBeNull()
	config().ADMIN_EMAIL = ''
	await makeMember('present', 'admin')
	expect(await makeAdminClaim()).toBeNull()
})

test('admins whom the university has logged out, or who are leaving, do not count; earlier links end with a start that has an admin, and soon while the site runs', async () => {
	const before = await claimToken()
	const { id } = await makeMember('graduate', 'admin')
	expect(await makeAdminClaim()).toBeNull()
	for (const column of ['absent_since', 'leaves_at']) {
		await sql`update users set ${sql.ref(column)} = now() where id = ${id}`.execute(db())
		await requireAdminClaim(await claimToken())
		await sql`update users set ${sql.ref(column)} = null where id = ${id}`.execute(db())
		expect(await makeAdminClaim()).toBeNull()
	}
	await sql`update users set absent_since = now() where id = ${id}`.execute(db())
	await expect(requireAdminClaim(before)).rejects.toThrow(Invalid)

	const printed = await claimToken()
	await sweepRegistrations()
	await requireAdminClaim(printed)
	await sql`update users set absent_since = null where id = ${id}`.execute(db())
	await sweepRegistrations()
	await sql`update users set absent_since = now() where id = ${id}`.execute(db())
	await expect(requireAdminClaim(printed)).rejects.toThrow(Invalid)
})

test('opening a link claims nothing; of twenty concurrent claims with two links one succeeds, and both links become invalid', async () => {
	const links = [await claimToken(), await claimToken()]
	const members = await Promise.all(Array.from({ length: 20 }, (_, index) => makeMember(`claimer${index}`)))
	for (const link of links) await requireAdminClaim(link)
	const claims = await Promise.allSettled(members.map((each, index) => claimAdmin(each, links[index % 2] ?? '')))
	expect(claims.filter(({ status }) => status === 'fulfilled')).toHaveLength(1)
	const roles = await Promise.all(members.map((each) => roleOf(emailOf(each))))
	expect(roles.filter((role) => role === 'admin')).toHaveLength(1)
	const { id } = members[roles.indexOf('admin')] as SignedIn
	expect(await listPromotions()).toEqual([{ actor_id: id, member_id: id, note: byLink }])
	await sql`update users set role = 'member'`.execute(db())
	for (const link of links) {
		await expect(requireAdminClaim(link)).rejects.toThrow(Invalid)
		await expect(claimAdmin(members[0] as SignedIn, link)).rejects.toThrow(Invalid)
	}
})

test('a link is invalid once there is an admin, and so is a forged one', async () => {
	const token = await claimToken()
	const late = await makeMember('late')
	await makeMember('first', 'admin')
	for (const each of [token, '', 'x', '\u0000']) await expect(claimAdmin(late, each)).rejects.toThrow(Invalid)
	expect(await roleOf(emailOf(late))).toBe('member')
})

test('a demo account cannot claim', async () => {
	const token = await claimToken()
	const demo = await makeMember('mira.quillon')
	await sql`update users set email = 'mira.quillon@eastmere.example' where id = ${demo.id}`.execute(db())
	await expect(claimAdmin(demo, token)).rejects.toThrow(NotAllowed)
	await requireAdminClaim(token)
	await sql`delete from users where id = ${demo.id}`.execute(db())
})

test('without verification too, the account of ADMIN_EMAIL becomes admin only when the address is confirmed', async () => {
	const email = 'wanda@campus.example'
	config().ADMIN_EMAIL = 'Wanda@campus.example'
	await register(email)
	expect((await sentMails(email)).map(({ subject }) => subject)).toEqual(['Confirm your address for DevQuad'])
	const cookie = await enter(email)
	expect(await roleOf(email)).toBe('member')
	const mails = await sentMails(email)
	expect(mails).toHaveLength(2)
	const token = await mailedToken(email)
	expect(await findConfirmation(token, request(cookie).headers)).toMatchObject({ needsPassword: false })
	expect(await roleOf(email)).toBe('member')
	await confirmAddress({ token, password: '' }, request(cookie))
	expect(await roleOf(email)).toBe('admin')
	expect((await listPromotions()).at(-1)).toMatchObject({ note: 'as admin, as ADMIN_EMAIL is their address' })
})

test('a stranger who registers ADMIN_EMAIL gains nothing: the owner’s reset or denial ends their access', async () => {
	const email = 'boss@campus.example'
	config().ADMIN_EMAIL = email
	await register(email, 'the attacker knows this')
	const attacker = await enter(email, 'the attacker knows this')
	const link = await mailedToken(email)
	await expect(confirmAddress({ token: link, password: '' }, request())).rejects.toThrow('Password field is required!')
	await expect(confirmAddress({ token: link, password }, request())).rejects.toThrow(/not the password you chose/)
	expect(await roleOf(email)).toBe('member')
	await requestPasswordReset(form({ email }), request())
	const token = await mailedToken(email)
	await resetPassword(form({ token, password, confirmPassword: password }), request())
	expect(await roleOf(email)).toBe('admin')
	expect((await viewerFromRequest(request(attacker), { fresh: true })).viewer).toBeNull()
	await expect(enter(email, 'the attacker knows this')).rejects.toThrow(Invalid)
	await enter(email)

	config().ADMIN_EMAIL = 'chief@campus.example'
	await register('chief@campus.example', 'the attacker knows this')
	const other = await enter('chief@campus.example', 'the attacker knows this')
	await denyRegistration(await mailedToken('chief@campus.example'))
	expect((await viewerFromRequest(request(other), { fresh: true })).viewer).toBeNull()
	await expect(enter('chief@campus.example', 'the attacker knows this')).rejects.toThrow(Invalid)
})

test.each([
	['http://localhost:3000', true],
	['http://LOCALHOST', true],
	['http://quad.localhost:8080', true],
	['http://127.0.0.1:3000', true],
	['http://127.9.8.7', true],
	['http://[::1]:3000', true],
	['https://quad.example', false],
	['http://localhost.quad.example', false],
	['http://notlocalhost', false],
	['http://192.168.1.5:3000', false],
	['http://128.0.0.1', false],
	['http://[::2]', false],
])('at %s demo accounts work: %s', (publicUrl, open) => {
	expect(isLoopback(new URL(publicUrl).hostname)).toBe(open)
	expect(areDemoAccountsOpen(parseConfig({ PUBLIC_URL: publicUrl }))).toBe(open)
})

test('outside localhost a demo account cannot be used: neither by login, reset, session nor token', async () => {
	const email = 'odalys.fernbrook@eastmere.example'
	await register(email)
	const cookie = await enter(email)
	const { viewer } = await viewerFromRequest(request(cookie))
	if (!viewer) throw new Error('not logged in')
	const { token } = await makeToken(viewer, { name: 'Robot', scopes: ['read'], days: 7 })
	await closeDemoAccounts()
	expect(await authenticateToken(token)).not.toBeNull()
	const before = (await sentMails(email)).length

	const { publicUrl } = config()
	config().publicUrl = 'https://quad.example'
	try {
		await closeDemoAccounts()
		expect((await viewerFromRequest(request(cookie), { fresh: true })).viewer).toBeNull()
		expect(await authenticateToken(token)).toBeNull()
		for (const name of [email, email.toUpperCase(), 'odalys.fernbrook'])
			await expect(enter(name)).rejects.toThrow('The email or password is wrong.')
		await requestPasswordReset(form({ email }), request())
		expect(await sentMails(email)).toHaveLength(before)
	} finally {
		config().publicUrl = publicUrl
	}
})
