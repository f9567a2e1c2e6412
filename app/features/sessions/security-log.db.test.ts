import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import '~/features/index.server.ts'
import { log } from '~/lib/log.server.ts'
import { runInRequestScope, setRequestMember } from '~/lib/request-scope.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { listSecurityEvents, recordSecurityEvent, sweepSecurityLog } from './security-log.server.ts'

useDatabase()

const agent = 'Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0'

async function countEvents(userId: number): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from security_events where user_id = ${userId}`.execute(db())
	return rows[0]?.count ?? 0
}

test('an event is a log line with the id of its request, and a row that its member sees', async () => {
	const ada = await makeMember('ada')
	const info = vi.spyOn(log, 'info')
	await runInRequestScope('request-1', agent, () =>
		recordSecurityEvent('login', { userId: ada.id, detail: { factor: 'password' } }),
	)
	expect(info.mock.calls).toEqual([
		[{ event: 'login', userId: ada.id, requestId: 'request-1', factor: 'password' }, 'security event'],
	])
	expect(await listSecurityEvents(ada)).toEqual([
		{ id: expect.any(String), text: 'Logged in', device: 'Firefox on Linux', at: expect.stringMatching(/Z$/) },
	])
	const { rows } = await sql<{ row: string }>`select e::text as row from security_events e`.execute(db())
	expect(rows[0]?.row).toContain('request-1')
	expect(rows[0]?.row).not.toContain('Mozilla')
})

test('an action of an admin does not show the member the admin’s device', async () => {
	const [admin, fern] = [await makeMember('admin', 'admin'), await makeMember('fern')]
	await runInRequestScope('request-2', agent, async () => {
		setRequestMember(admin.id)
		await recordSecurityEvent('suspended', { userId: fern.id, detail: { by: admin.id } })
		await recordSecurityEvent('logout', { userId: admin.id })
	})
	expect((await listSecurityEvents(fern)).map(({ device }) => device)).toEqual([''])
	expect((await listSecurityEvents(admin)).map(({ device }) => device)).toEqual(['Firefox on Linux'])
})

test('an event without a member is a log line only, and members see their own events only', async () => {
	const [bea, cleo] = [await makeMember('bea'), await makeMember('cleo')]
	await recordSecurityEvent('login-failed')
	await recordSecurityEvent('logout', { userId: bea.id })
	expect((await listSecurityEvents(bea)).map(({ text }) => text)).toEqual(['Logged out'])
	expect(await listSecurityEvents(cleo)).toEqual([])
})

test('a row that cannot be written is logged, and nothing is thrown', async () => {
	const error = vi.spyOn(log, 'error')
	// An account that was deleted meanwhile has no log.
	await recordSecurityEvent('login', { userId: 2_000_000_000 })
	expect(error).not.toHaveBeenCalled()
	const tooLarge = 3_000_000_000
	await recordSecurityEvent('login', { userId: tooLarge })
	expect(error).toHaveBeenCalledWith(
		expect.objectContaining({ event: 'login', userId: tooLarge }),
		'a security event could not be stored',
	)
})

test('events that a program can cause at will are limited to one row a minute', async () => {
	const dina = await makeMember('dina')
	for (let time = 0; time < 5; time += 1) await recordSecurityEvent('rate-limited', { userId: dina.id })
	for (let time = 0; time < 5; time += 1) await recordSecurityEvent('login', { userId: dina.id })
	expect(await countEvents(dina.id)).toBe(6)
})

test('a member sees the last 50; rows beyond 500 a member are swept', async () => {
	const elin = await makeMember('elin')
	await sql`insert into security_events (user_id, kind) select ${elin.id}, 'login' from generate_series(1, 600)`.execute(
		db(),
	)
	await recordSecurityEvent('password-changed', { userId: elin.id })
	const shown = await listSecurityEvents(elin)
	expect([shown.length, shown[0]?.text]).toEqual([50, 'Changed the password'])
	await sweepSecurityLog()
	expect(await countEvents(elin.id)).toBe(500)
	expect((await listSecurityEvents(elin))[0]?.text).toBe('Changed the password')
})
