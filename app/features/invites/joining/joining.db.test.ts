import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { useJobTables } from '../../../../tests/support/jobs.ts'
import { queuedBehind } from '../../../../tests/support/locks.ts'
import { getInvites, makeInvite } from './invites.server.ts'
import { registerInvited } from './joining.server.ts'

useDatabase()
useJobTables()

test('a form that is sent twice at once takes one use of the link', async () => {
	vi.spyOn(config(), 'REQUIRE_EMAIL_VERIFICATION', 'get').mockReturnValue(true)
	const admin = await makeMember('admin', 'admin')
	const { address } = await makeInvite(admin, { uses: '1', days: '7', cohort: '' })
	const token = address.split('token=')[1] ?? ''
	const password = 'a lantern at the ford'
	const fields = { token, name: 'New Comer', email: 'newcomer@eastmere.example', password, confirmPassword: password }
	const send = () => {
		const form = new FormData()
		for (const [name, value] of Object.entries(fields)) form.set(name, value)
		return registerInvited(form, new Request('http://localhost:3000/', { headers: { 'x-client-ip': '198.51.100.7' } }))
	}
	const sent = await queuedBehind(
		(trx) => sql`select from invites where token_hash = ${hashToken(token)} for update`.execute(trx),
		[send, send],
	)
	const done = { status: 'fulfilled', value: expect.objectContaining({ confirm: true }) }
	expect(sent).toEqual([done, done])
	expect(await getInvites(admin)).toMatchObject([{ used: 1, state: 'used up' }])
})
