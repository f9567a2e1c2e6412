import { sql } from 'kysely'
import { expect, test, vi } from 'vitest'
import { db } from '~/platform/db/db.server.ts'
import * as presence from '~/platform/realtime/presence.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { endOverdueSessions } from './session-checks.server.ts'

vi.mock('~/platform/realtime/presence.server.ts', { spy: true })

useDatabase()

test('the end of everybody’s session is announced and recorded, though that of one cannot be', async () => {
	const members = [await makeMember('first'), await makeMember('second')]
	for (const { id } of members)
		await sql`
			with session as (insert into sessions (user_id, token, expires_at)
				values (${id}, ${`token${id}`}, now() + interval '1 day') returning id),
			identity as (insert into identities (user_id, provider, issuer, subject)
				values (${id}, 'saml', 'https://idp.example', ${String(id)}) returning id)
			insert into provider_sessions (session_id, identity_id, ends_at)
			select session.id, identity.id, now() from session, identity`.execute(db())
	const closed = vi.mocked(presence.closeEndedSessions).mockRejectedValueOnce(new Error('a connection was lost'))
	await expect(endOverdueSessions()).rejects.toThrow('a connection was lost')
	expect(closed).toHaveBeenCalledTimes(2)
	const { rows } = await sql`select from security_events where kind = 'provider-expired'`.execute(db())
	expect(rows).toHaveLength(2)
})
