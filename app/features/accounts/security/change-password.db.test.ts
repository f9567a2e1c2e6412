import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { readRevocations } from '~/features/sessions/sessions.queries.server.ts'
import { authenticateToken, makeToken } from '~/features/tokens/tokens.server.ts'
import { TooManyRequests } from '~/lib/errors.ts'
import { runInRequestScope } from '~/lib/request-scope.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { enter, password, registerAndLogIn, viewerOfCookie } from '../../../../tests/support/account.ts'
import { cookiesOf, form, request } from '../../../../tests/support/browser.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { mailedToken, resetCounts } from '../../../../tests/support/jobs.ts'
import { countWaiting } from '../../../../tests/support/locks.ts'
import { viewerFromRequest } from '../viewer.server.ts'
import { changePassword, requestPasswordReset, resetPassword } from './change-password.server.ts'

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

beforeEach(async () => {
	await resetCounts()
})

const next = 'another lantern at the ford'

const change = (viewer: SignedIn, cookie: string, currentPassword: string, newPassword: string) =>
	changePassword(viewer, form({ currentPassword, newPassword }), request(cookie))

test('the new password logs in, the old one does not, and only this session continues', async () => {
	const { email, viewer, cookie } = await registerAndLogIn('ada')
	const elsewhere = await enter(email)
	const changed = cookiesOf(await change(viewer, cookie, password, next))
	expect((await viewerOfCookie(changed))?.username).toBe('ada')
	expect([await viewerOfCookie(elsewhere), await viewerOfCookie(cookie)]).toEqual([null, null])
	await expect(enter(email)).rejects.toThrow('email or password is wrong')
	expect(await viewerOfCookie(await enter(email, next))).not.toBeNull()
})

test('what belongs to this browser stays, and cookies from before are not trusted by any process', async () => {
	const { viewer, cookie } = await registerAndLogIn('pushed')
	const { rows } = await sql<{ id: number }>`
		update sessions set confirmed_at = now() where user_id = ${viewer.id} returning id`.execute(db())
	const session = rows[0]?.id ?? 0
	await sql`insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
		values (${viewer.id}, ${session}, 'https://push.example/1', 'key', 'secret')`.execute(db())
	const before = await readRevocations(600)
	const changed = cookiesOf(await change(viewer, cookie, password, next))
	expect((await viewerFromRequest(request(changed), { fresh: true })).viewer?.id).toBe(viewer.id)
	const kept = await sql<{ session_id: number; confirmed: boolean }>`
		select session_id, confirmed_at is not null as confirmed from push_subscriptions
		join sessions on sessions.id = session_id where push_subscriptions.user_id = ${viewer.id}`.execute(db())
	expect(kept.rows).toEqual([{ session_id: session, confirmed: true }])
	expect((await readRevocations(600)).get(viewer.id)).not.toBe(before.get(viewer.id))
})

test('a login with the old password that was under way begins no session', async () => {
	const { email, viewer, cookie } = await registerAndLogIn('hasty')
	const { late, changed } = await db()
		.transaction()
		.execute(async (trx) => {
			// A session refers to its member, so it cannot be stored before this ends; neither can what follows the change.
			await sql`select from users where id = ${viewer.id} for update`.execute(trx)
			const late = runInRequestScope('late', '', () => enter(email)).then(
				viewerOfCookie,
				(error: Error) => error.message,
			)
			await expect.poll(() => countWaiting(trx)).toBe(1)
			const changed = change(viewer, cookie, password, next)
			await expect.poll(() => isRenewed(cookie, trx)).toBe(true)
			return { late, changed }
		})
	expect(await late).toMatch('email or password is wrong')
	expect((await viewerOfCookie(cookiesOf(await changed)))?.id).toBe(viewer.id)
	const { rows } = await sql`select from sessions where user_id = ${viewer.id}`.execute(db())
	expect(rows).toHaveLength(1)
})

/** Whether the session of this cookie has another token by now. */
async function isRenewed(cookie: string, executor: Executor): Promise<boolean> {
	const token = decodeURIComponent(/session=([^;]+)/.exec(cookie)?.[1] ?? '').split('.')[0]
	const { rows } = await sql`select from sessions where token = ${token}`.execute(executor)
	return rows.length === 0
}

test('a new password deletes access tokens, a rejected one does not', async () => {
	const { viewer, cookie } = await registerAndLogIn('keyed')
	const { token } = await makeToken(viewer, { name: 'Backup', scopes: ['read'], days: 7 })
	await change(viewer, cookie, 'wrong', next).catch(() => {})
	expect(await authenticateToken(token)).not.toBeNull()
	await change(viewer, cookie, password, next)
	expect(await authenticateToken(token)).toBeNull()
})

test.each([
	[
		'nothing at all',
		'',
		'',
		{ currentPassword: 'Password field is required!', newPassword: 'Password field is required!' },
	],
	['no new one', password, '', { newPassword: 'Password field is required!' }],
	['a short new one', password, 'short', { newPassword: 'The password needs at least 8 characters.' }],
	['a wrong present one', 'not the lantern', next, { currentPassword: expect.stringContaining('not your current') }],
])('%s is refused at its field and changes nothing', async (what, current, wanted, fields) => {
	const { email, viewer, cookie } = await registerAndLogIn(what.replace(/\W+/g, '-'))
	await expect(change(viewer, cookie, current, wanted)).rejects.toMatchObject({ fields })
	expect(await viewerOfCookie(await enter(email))).not.toBeNull()
})

test('failed attempts cause waits, independently of strangers at the login page', async () => {
	const { email, viewer, cookie } = await registerAndLogIn('guessed')
	for (let tries = 0; tries < 6; tries += 1) await enter(email, 'wrong').catch(() => {})
	await expect(enter(email)).rejects.toThrow(TooManyRequests)
	for (let tries = 0; tries < 5; tries += 1)
		await expect(change(viewer, cookie, 'wrong', next)).rejects.toThrow('not your current')
	await expect(change(viewer, cookie, password, next)).rejects.toThrow(TooManyRequests)
})

test.each(['guessed2@eastmere', 'Guessed2 2026', 'devquad!'])('the new password %s is refused', async (wanted) => {
	const { viewer, cookie } = await registerAndLogIn(`guessed2${wanted.length}`)
	await expect(change(viewer, cookie, password, wanted)).rejects.toThrow(/too close to the site’s name, your name/)
})

test('earlier reset links become invalid', async () => {
	const { email, viewer, cookie } = await registerAndLogIn('linked')
	await requestPasswordReset(form({ email }), request())
	const token = await mailedToken(email)
	expect(token).not.toBe('')
	await change(viewer, cookie, password, next)
	const reset = form({ token, password, confirmPassword: password })
	await expect(resetPassword(reset, request())).rejects.toThrow('This link has been used or has expired.')
})
