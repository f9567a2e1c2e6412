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
import { cookiesOf, form, request } from '../../../../tests/support/browser.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { mailedToken, resetCounts } from '../../../../tests/support/jobs.ts'
import {
	changePassword,
	logIn,
	registerMember,
	requestPasswordReset,
	resetPassword,
	viewerFromRequest,
} from '../accounts.server.ts'

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

beforeEach(async () => {
	await resetCounts()
})

const present = 'a lantern at the ford'
const next = 'another lantern at the ford'

async function enter(email: string, password = present): Promise<string> {
	return cookiesOf(await logIn(form({ email, password }), request()))
}

const viewerOf = async (cookie: string) => (await viewerFromRequest(request(cookie), { fresh: true })).viewer

async function member(name: string): Promise<{ email: string; viewer: SignedIn; cookie: string }> {
	const email = `${name}@eastmere.example`
	await registerMember(form({ name, email, password: present, confirmPassword: present }), request())
	const cookie = await enter(email)
	const viewer = await viewerOf(cookie)
	if (!viewer) throw new Error('not logged in')
	return { email, viewer, cookie }
}

const change = (viewer: SignedIn, cookie: string, currentPassword: string, newPassword: string) =>
	changePassword(viewer, form({ currentPassword, newPassword }), request(cookie))

test('the new password logs in, the old one does not, and only this session continues', async () => {
	const { email, viewer, cookie } = await member('ada')
	const elsewhere = await enter(email)
	const changed = cookiesOf(await change(viewer, cookie, present, next))
	expect((await viewerOf(changed))?.username).toBe('ada')
	expect([await viewerOf(elsewhere), await viewerOf(cookie)]).toEqual([null, null])
	await expect(enter(email)).rejects.toThrow('email or password is wrong')
	expect(await viewerOf(await enter(email, next))).not.toBeNull()
})

test('what belongs to this browser stays, and cookies from before are not trusted by any process', async () => {
	const { viewer, cookie } = await member('pushed')
	const { rows } = await sql<{ id: number }>`
		update sessions set confirmed_at = now() where user_id = ${viewer.id} returning id`.execute(db())
	const session = rows[0]?.id ?? 0
	await sql`insert into push_subscriptions (user_id, session_id, endpoint, p256dh, auth)
		values (${viewer.id}, ${session}, 'https://push.example/1', 'key', 'secret')`.execute(db())
	const before = await readRevocations(600)
	const changed = cookiesOf(await change(viewer, cookie, present, next))
	expect((await viewerFromRequest(request(changed), { fresh: true })).viewer?.id).toBe(viewer.id)
	const kept = await sql<{ session_id: number; confirmed: boolean }>`
		select session_id, confirmed_at is not null as confirmed from push_subscriptions
		join sessions on sessions.id = session_id where push_subscriptions.user_id = ${viewer.id}`.execute(db())
	expect(kept.rows).toEqual([{ session_id: session, confirmed: true }])
	expect((await readRevocations(600)).get(viewer.id)).not.toBe(before.get(viewer.id))
})

test('a login with the old password that was under way begins no session', async () => {
	const { email, viewer, cookie } = await member('hasty')
	const { late, changed } = await db()
		.transaction()
		.execute(async (trx) => {
			// A session refers to its member, so it cannot be stored before this ends; neither can what follows the change.
			await sql`select from users where id = ${viewer.id} for update`.execute(trx)
			const late = runInRequestScope('late', '', () => enter(email)).then(viewerOf, (error: Error) => error.message)
			await expect.poll(() => waiting(trx)).toBe(1)
			const changed = change(viewer, cookie, present, next)
			await expect.poll(() => isRenewed(cookie, trx)).toBe(true)
			return { late, changed }
		})
	expect(await late).toMatch('email or password is wrong')
	expect((await viewerOf(cookiesOf(await changed)))?.id).toBe(viewer.id)
	const { rows } = await sql`select from sessions where user_id = ${viewer.id}`.execute(db())
	expect(rows).toHaveLength(1)
})

/** Statements that wait for a lock. */
async function waiting(executor: Executor): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from pg_stat_activity
		where datname = current_database() and wait_event_type = 'Lock'`.execute(executor)
	return rows[0]?.count ?? 0
}

/** Whether the session of this cookie has another token by now. */
async function isRenewed(cookie: string, executor: Executor): Promise<boolean> {
	const token = decodeURIComponent(/session=([^;]+)/.exec(cookie)?.[1] ?? '').split('.')[0]
	const { rows } = await sql`select from sessions where token = ${token}`.execute(executor)
	return rows.length === 0
}

test('a new password deletes access tokens, a rejected one does not', async () => {
	const { viewer, cookie } = await member('keyed')
	const { token } = await makeToken(viewer, { name: 'Backup', scopes: ['read'], days: 7 })
	await change(viewer, cookie, 'wrong', next).catch(() => {})
	expect(await authenticateToken(token)).not.toBeNull()
	await change(viewer, cookie, present, next)
	expect(await authenticateToken(token)).toBeNull()
})

test.each([
	[
		'nothing at all',
		'',
		'',
		{ currentPassword: 'Password field is required!', newPassword: 'Password field is required!' },
	],
	['no new one', present, '', { newPassword: 'Password field is required!' }],
	['a short new one', present, 'short', { newPassword: 'The password needs at least 8 characters.' }],
	['a wrong present one', 'not the lantern', next, { currentPassword: expect.stringContaining('not your current') }],
])('%s is refused at its field and changes nothing', async (what, current, wanted, fields) => {
	const { email, viewer, cookie } = await member(what.replace(/\W+/g, '-'))
	await expect(change(viewer, cookie, current, wanted)).rejects.toMatchObject({ fields })
	expect(await viewerOf(await enter(email))).not.toBeNull()
})

test('failed attempts cause waits, independently of strangers at the login page', async () => {
	const { email, viewer, cookie } = await member('guessed')
	for (let tries = 0; tries < 6; tries += 1) await enter(email, 'wrong').catch(() => {})
	await expect(enter(email)).rejects.toThrow(TooManyRequests)
	for (let tries = 0; tries < 5; tries += 1)
		await expect(change(viewer, cookie, 'wrong', next)).rejects.toThrow('not your current')
	await expect(change(viewer, cookie, present, next)).rejects.toThrow(TooManyRequests)
})

test.each(['guessed2@eastmere', 'Guessed2 2026', 'devquad!'])('the new password %s is refused', async (wanted) => {
	const { viewer, cookie } = await member(`guessed2${wanted.length}`)
	await expect(change(viewer, cookie, present, wanted)).rejects.toThrow(/too close to the site’s name, your name/)
})

test('earlier reset links become invalid', async () => {
	const { email, viewer, cookie } = await member('linked')
	await requestPasswordReset(form({ email }), request())
	const token = await mailedToken(email)
	expect(token).not.toBe('')
	await change(viewer, cookie, present, next)
	const reset = form({ token, password: present, confirmPassword: present })
	await expect(resetPassword(reset, request())).rejects.toThrow('This link has been used or has expired.')
})
