import { sql } from 'kysely'
import { expect, test } from 'vitest'
import '~/features/index.server.ts'
import { sendAccountMail } from '~/features/accounts/registration/account-mails.server.ts'
import { hashToken } from '~/lib/secrets.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { mailedToken, useJobTables } from '../../../../tests/support/jobs.ts'
import { queuedBehind } from '../../../../tests/support/locks.ts'
import { mailEmailChangeLink } from './email-mails.server.ts'
import { confirmEmail, getEmails, removeSecondEmail, requestEmailChange } from './emails.server.ts'

useDatabase()
useJobTables()

/** Holds up whatever takes a mail from what an address may still get. */
const holdMailsTo = (email: string) => (trx: Executor) =>
	sql`select pg_advisory_xact_lock(hashtextextended(${hashToken(email)}, 30))`.execute(trx)

test('a link that is being mailed confirms no other address, which is asked for meanwhile', async () => {
	const ines = await makeMember('ines')
	const [own, foreign] = ['ines@own.example', 'dean@campus.example']
	await requestEmailChange(ines, { email: own, place: 'email' })
	const ended = await queuedBehind<unknown>(holdMailsTo(own), [
		() => mailEmailChangeLink({ userId: ines.id }),
		() => requestEmailChange(ines, { email: foreign, place: 'email' }),
	])
	expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
	await mailEmailChangeLink({ userId: ines.id })
	await expect(confirmEmail(ines, await mailedToken(own))).rejects.toThrow('a newer one was sent')
	expect(await getEmails(ines)).toMatchObject({ email: 'ines@campus.example', pending: { email: foreign } })
	await confirmEmail(ines, await mailedToken(foreign))
	expect(await getEmails(ines)).toMatchObject({ email: foreign })
})

test('a link for a new password that is being made for an address ends when the address is removed', async () => {
	const mira = await makeMember('mira')
	const former = 'mira@lost.example'
	await sql`update users set second_email = ${former} where id = ${mira.id}`.execute(db())
	const ended = await queuedBehind<void>(holdMailsTo(former), [
		() => sendAccountMail({ kind: 'reset', email: former }),
		() => removeSecondEmail(mira, former),
	])
	expect(ended.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled'])
	const { rows } = await sql`select from verifications where value = ${String(mira.id)}`.execute(db())
	expect(rows).toEqual([])
})
