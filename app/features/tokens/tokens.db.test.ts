import { sql } from 'kysely'
import { beforeAll, describe, expect, test } from 'vitest'
import { auth } from '~/features/accounts/auth.server.ts'
import { resetPassword } from '~/features/accounts/security/change-password.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { mailedToken } from '../../../tests/support/jobs.ts'
import { countWaiting } from '../../../tests/support/locks.ts'
import { authenticateToken, listTokens, makeToken, revokeToken } from './tokens.server.ts'

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

const input = { name: 'Backup', scopes: ['read'], days: 30 }

test('only the hash of a token is stored, and its owner is notified by mail', async () => {
	const nell = await makeMember('nell')
	const { token } = await makeToken(nell, { ...input, name: '  Backup \n script ', scopes: ['write', 'read'] })
	expect(token).toMatch(/^dq_[\w-]{43}$/)
	const { rows } = await sql<{ row: string }>`select t::text as row from access_tokens t`.execute(db())
	expect(JSON.stringify(rows)).not.toContain(token.slice(3, 20))
	expect(await listTokens(nell)).toMatchObject([
		{ name: 'Backup script', lastFour: token.slice(-4), scopes: ['read', 'write'], expired: false, lastUsedAt: null },
	])
	const mails = await sql<{ payload: { to: string; text: string } }>`
		select payload from graphile_worker._private_jobs`.execute(db())
	expect(mails.rows.at(-1)?.payload.to).toBe('nell@campus.example')
	expect(mails.rows.at(-1)?.payload.text).toContain('“Backup script”')
	expect(JSON.stringify(mails.rows)).not.toContain(token.slice(3))
})

test.each([
	['no name', { name: ' ' }, 'name'],
	['a name too long', { name: 'n'.repeat(61) }, 'name'],
	['no scope', { scopes: [] }, 'scopes'],
	['an unknown scope', { scopes: ['admin'] }, 'scopes'],
	['the scope of moderators', { scopes: ['moderate'] }, 'scopes'],
	['no end', { days: 100_000 }, 'days'],
])('a token with %s is refused at its field', async (_what, change, field) => {
	const member = await makeMember(`refused-${_what.replaceAll(' ', '-')}`)
	await expect(makeToken(member, { ...input, ...change })).rejects.toMatchObject({
		status: 422,
		fields: { [field]: expect.any(String) },
	})
	expect(await listTokens(member)).toEqual([])
})

test('of 25 concurrent creations 20 succeed, and expired tokens make room', async () => {
	const eager = await makeMember('eager')
	const made = await Promise.allSettled(Array.from({ length: 25 }, () => makeToken(eager, input)))
	expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20)
	await sql`update access_tokens set expires_at = now() - interval '1 second'
		where id = (select min(id) from access_tokens where user_id = ${eager.id})`.execute(db())
	await makeToken(eager, input)
	await expect(makeToken(eager, input)).rejects.toMatchObject({ status: 422 })
})

test('whoever is suspended while they create a token gets none', async () => {
	const hasty = await makeMember('hasty')
	const making = await db()
		.transaction()
		.execute(async (trx) => {
			await sql`update users set suspended_until = 'infinity' where id = ${hasty.id}`.execute(trx)
			const made = makeToken(hasty, input).catch((error: unknown) => error)
			await expect.poll(() => countWaiting()).toBe(1)
			return { made }
		})
	expect(await making.made).toMatchObject({ status: 403 })
	expect(await listTokens(hasty)).toEqual([])
})

describe('using a token', () => {
	test('acts for its owner with their present role, and as a plain member without the scope moderate', async () => {
		const keeper = await makeMember('keeper', 'moderator')
		const plain = (await makeToken(keeper, { ...input, scopes: ['read', 'write'] })).token
		const strong = (await makeToken(keeper, { ...input, scopes: ['moderate'] })).token
		expect((await authenticateToken(plain))?.viewer).toEqual({ ...keeper, role: 'member' })
		expect((await authenticateToken(strong))?.viewer).toEqual(keeper)
		await db().updateTable('users').set({ role: 'member' }).where('id', '=', keeper.id).execute()
		expect((await authenticateToken(strong))?.viewer.role).toBe('member')
	})

	test('records its last use, at most once a minute', async () => {
		const user = await makeMember('user')
		const { token } = await makeToken(user, input)
		await authenticateToken(token)
		const first = (await listTokens(user))[0]?.lastUsedAt
		expect(first).toEqual(expect.any(String))
		await authenticateToken(token)
		expect((await listTokens(user))[0]?.lastUsedAt).toBe(first)
		await sql`update access_tokens set last_used_at = now() - interval '61 seconds' where user_id = ${user.id}`.execute(
			db(),
		)
		await authenticateToken(token)
		expect(Date.parse((await listTokens(user))[0]?.lastUsedAt ?? '')).toBeGreaterThanOrEqual(Date.parse(first ?? ''))
	})

	test('fails after expiry, revocation or alteration, and only its owner can revoke it', async () => {
		const owner = await makeMember('owner')
		const other = await makeMember('other')
		const [ended, revoked] = [(await makeToken(owner, input)).token, (await makeToken(owner, input)).token]
		const [last, first] = await listTokens(owner)
		await expect(revokeToken(other, last?.id ?? 0)).rejects.toMatchObject({ status: 404 })
		expect(await authenticateToken(revoked)).not.toBeNull()
		await revokeToken(owner, last?.id ?? 0)
		await sql`update access_tokens set expires_at = now() where id = ${first?.id ?? 0}`.execute(db())
		expect(await Promise.all([ended, revoked, `${revoked}x`, 'dq_', ''].map(authenticateToken))).toEqual(
			Array(5).fill(null),
		)
	})

	test('resetting the password by mail deletes all tokens', async () => {
		const { member, token } = await registered('forgetful')
		await auth().api.requestPasswordReset({ body: { email: 'forgetful@campus.example' } })
		const next = 'another lantern at the ford'
		const reset = { token: await mailedToken('forgetful@campus.example'), password: next, confirmPassword: next }
		await resetPassword(form(reset), request())
		expect(await authenticateToken(token)).toBeNull()
		expect(await listTokens(member)).toEqual([])
	})
})

async function registered(username: string): Promise<{ member: SignedIn; token: string }> {
	const body = { name: 'A Member', email: `${username}@campus.example`, password: 'a lantern at the ford' }
	await auth().api.signUpEmail({ body })
	const row = await db()
		.selectFrom('users')
		.select(['id', 'username', 'name', 'image', 'role'])
		.where('email', '=', body.email)
		.executeTakeFirstOrThrow()
	return { member: row, ...(await makeToken(row, input)) }
}
