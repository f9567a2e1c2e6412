import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import '~/features/index.server.ts'
import { getAccount } from '~/features/accounts/accounts.server.ts'
import { logIn } from '~/features/accounts/login.server.ts'
import { confirmAddress } from '~/features/accounts/registration/registrations.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { form, request } from '../../../../tests/support/browser.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { mailedToken, resetCounts, sentMails, useJobTables } from '../../../../tests/support/jobs.ts'
import { queuedBehind } from '../../../../tests/support/locks.ts'
import { getInvites, makeInvite } from './invites.server.ts'
import { registerInvited, requireInvite } from './joining.server.ts'

useDatabase()
useJobTables()

const PASSWORD = 'a lantern at the ford'

const join = (token: string, email: string) =>
	registerInvited(form({ token, name: 'New Comer', email, password: PASSWORD, confirmPassword: PASSWORD }), request())

test('a form that is sent twice at once takes one use of the link', async () => {
	vi.spyOn(config(), 'REQUIRE_EMAIL_VERIFICATION', 'get').mockReturnValue(true)
	const admin = await makeMember('admin', 'admin')
	const { address } = await makeInvite(admin, { uses: '1', days: '7', cohort: '' })
	const token = address.split('token=')[1] ?? ''
	const send = () => join(token, 'newcomer@eastmere.example')
	const sent = await queuedBehind(
		(trx) => sql`select from invites where token_hash = ${hashToken(token)} for update`.execute(trx),
		[send, send],
	)
	const done = { status: 'fulfilled', value: expect.objectContaining({ confirm: true }) }
	expect(sent).toEqual([done, done])
	expect((await getInvites(admin)).rows).toMatchObject([{ used: 1, state: 'used up' }])
})

test('a registration that was not confirmed within a day does not come back for a use that somebody else has taken', async () => {
	vi.spyOn(config(), 'REQUIRE_EMAIL_VERIFICATION', 'get').mockReturnValue(true)
	const inviter = await makeMember('inviter', 'admin')
	const { address } = await makeInvite(inviter, { uses: '1', days: '7', cohort: '' })
	const token = address.split('token=')[1] ?? ''
	const confirm = async (email: string) =>
		confirmAddress({ token: await mailedToken(email), password: PASSWORD }, request())
	await join(token, 'late@eastmere.example')
	await sql`update registrations set created_at = now() - interval '25 hours'`.execute(db())
	await join(token, 'early@eastmere.example')
	await confirm('early@eastmere.example')
	await resetCounts()
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	await expect(logIn(form({ email: 'late@eastmere.example', password: PASSWORD }), request())).rejects.toThrow()
	await expect(confirm('late@eastmere.example')).rejects.toThrow()
	expect((await getInvites(inviter)).rows[0]).toMatchObject({ used: 1, maxUses: 1 })
})

test('a registration takes a use of the link for a day also where the address has an account, which the link thus does not reveal', async () => {
	vi.spyOn(config(), 'REQUIRE_EMAIL_VERIFICATION', 'get').mockReturnValue(true)
	const host = await makeMember('host', 'admin')
	const { email } = await getAccount(await makeMember('mira'))
	const { address } = await makeInvite(host, { uses: '1', days: '7', cohort: '' })
	const token = address.split('token=')[1] ?? ''
	await join(token, email)
	expect(await sentMails(email)).toMatchObject([{ subject: expect.stringContaining('You already have an account') }])
	await expect(requireInvite(token)).rejects.toThrow('has been used up')
	await sql`update registrations set created_at = now() - interval '25 hours'`.execute(db())
	expect(await requireInvite(token)).toMatchObject({ email: null })
})
