import { sql } from 'kysely'
import { beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { Invalid, NotAllowed, TooManyRequests } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import { enter, password, registerAndLogIn } from '../../../tests/support/account.ts'
import { form, request } from '../../../tests/support/browser.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { resetCounts } from '../../../tests/support/jobs.ts'
import { confirmIdentity } from './confirming.server.ts'

useDatabase()

beforeAll(async () => {
	await startJobs()
	await stopJobs()
})

beforeEach(resetCounts)

const passTime = (viewer: SignedIn, time: string) =>
	sql`update sessions set confirmed_at = now() - ${time}::interval where user_id = ${viewer.id}`.execute(db())

describe('how long a confirmation is valid', () => {
	test.each([
		['just now', '0 seconds', true],
		['nine minutes ago', '9 minutes', true],
		['just over ten minutes ago', '601 seconds', false],
		['never, as in a session of before', 'infinity', false],
	])('%s', async (what, time, isEnough) => {
		const { viewer, cookie } = await registerAndLogIn(what.replace(/\W+/g, '-'))
		if (time === 'infinity') await sql`update sessions set confirmed_at = null`.execute(db())
		else await passTime(viewer, time)
		const asked = requireConfirmed(viewer, request(cookie, '/settings'))
		if (isEnough) expect(await asked).toEqual(expect.any(Number))
		else await expect(asked).rejects.toMatchObject({ status: 403, back: '/settings' })
	})
})

test.each([
	['/settings/tokens', undefined, '/settings/tokens'],
	['/settings.data?_routes=a&index', undefined, '/settings'],
	['/admin/members/ada?role=x', undefined, '/admin/members/ada?role=x'],
	['/_root.data', undefined, '/'],
	['/settings/messages', '/settings', '/settings'],
])('from %s (back: %s) the confirmation leads back to %s', async (path, back, to) => {
	const { viewer, cookie } = await registerAndLogIn(`back${path.length}`)
	await passTime(viewer, '1 hour')
	const thrown = await withHttpErrors(() => requireConfirmed(viewer, request(cookie, path), back)).catch(
		(error) => error,
	)
	expect(thrown.headers.get('Location')).toBe(`/confirm-identity?redirectTo=${encodeURIComponent(to)}`)
})

test('the password confirms this session only, and is logged', async () => {
	const { viewer, cookie, email } = await registerAndLogIn('two-devices')
	const elsewhere = await enter(email)
	await passTime(viewer, '1 hour')
	await confirmIdentity(viewer, form({ password }), request(cookie))
	await requireConfirmed(viewer, request(cookie))
	await expect(requireConfirmed(viewer, request(elsewhere))).rejects.toThrow(NotAllowed)
	const { rows } = await sql<{ kind: string }>`
		select kind from security_events where user_id = ${viewer.id} order by id desc limit 1`.execute(db())
	expect(rows).toEqual([{ kind: 'confirmed' }])
})

test.each([
	['no password', {}, 'Enter your password.'],
	['a wrong password', { password: 'another lantern' }, 'That is not your password.'],
])('%s confirms nothing', async (what, typed, message) => {
	const { viewer, cookie } = await registerAndLogIn(what.replace(/\W+/g, '-'))
	await passTime(viewer, '1 hour')
	await expect(confirmIdentity(viewer, form(typed), request(cookie))).rejects.toMatchObject({
		fields: { password: message },
	})
	await expect(requireConfirmed(viewer, request(cookie))).rejects.toThrow(NotAllowed)
})

test('failed attempts cause waits for their member only, even concurrent ones', async () => {
	const [guessed, other] = [await registerAndLogIn('guessed'), await registerAndLogIn('other')]
	const guesses = Array.from({ length: 12 }, () =>
		confirmIdentity(guessed.viewer, form({ password: 'wrong' }), request(guessed.cookie)).catch((error) => error),
	)
	const answers = await Promise.all(guesses)
	expect(answers.filter((answer) => answer instanceof Invalid)).toHaveLength(5)
	expect(answers.filter((answer) => answer instanceof TooManyRequests)).toHaveLength(7)
	await expect(confirmIdentity(guessed.viewer, form({ password }), request(guessed.cookie))).rejects.toThrow(
		TooManyRequests,
	)
	await confirmIdentity(other.viewer, form({ password }), request(other.cookie))
})

test.each([
	['no session', async () => ''],
	['the session of somebody else', async () => (await registerAndLogIn('somebody-else')).cookie],
])('with %s nothing is confirmed', async (what, cookieOf) => {
	const { viewer } = await registerAndLogIn(what.replace(/\W+/g, '-'))
	await passTime(viewer, '1 hour')
	const cookie = await cookieOf()
	await expect(confirmIdentity(viewer, form({ password }), request(cookie))).rejects.toThrow('This session has ended')
	await expect(requireConfirmed(viewer, request(cookie))).rejects.toThrow('This session has ended')
})
