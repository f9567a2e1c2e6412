import { sql } from 'kysely'
import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { sendAccountMail } from '~/features/accounts/registration/account-mails.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { useJobTables } from '../../../../tests/support/jobs.ts'
import { queuedBehind } from '../../../../tests/support/locks.ts'
import { removeSecondEmail } from './emails.server.ts'

useDatabase()
useJobTables()

test('a link for a new password that is being made for an address ends when the address is removed', async () => {
	const mira = await makeMember('mira')
	const former = 'mira@lost.example'
	await sql`update users set second_email = ${former} where id = ${mira.id}`.execute(db())
	// Making it ends with the number of mails that the address may still get.
	const ended = await queuedBehind<void>(
		(trx) => sql`select pg_advisory_xact_lock(hashtextextended(${hashToken(former)}, 30))`.execute(trx),
		[() => sendAccountMail({ kind: 'reset', email: former }), () => removeSecondEmail(mira, former)],
	)
	expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
	const { rows } = await sql`select from verifications where value = ${String(mira.id)}`.execute(db())
	expect(rows).toEqual([])
})
