import { sql } from 'kysely'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { startJobs, stopJobs } from '~/platform/jobs/jobs.server.ts'
import type { Mail } from '~/platform/mail/mail.server.ts'
import { makeMember } from '../../../../tests/factories/forum.ts'
import { form } from '../../../../tests/support/browser.ts'
import { useDatabase } from '../../../../tests/support/database.ts'
import { accounts } from '../accounts.feature.server.ts'
import { resetPassword } from '../security/change-password.server.ts'
import { registerMailedLinks, sendAccountMail, sendQueuedMail } from './account-mails.server.ts'

useDatabase()

let email: string
let count = 0

// The worker creates the tables of the job queue; it is stopped, so that the mail stays queued.
beforeAll(async () => {
	registerMailedLinks([accounts])
	await startJobs()
	await stopJobs()
})

beforeEach(async () => {
	count += 1
	const { username } = await makeMember(`waits${count}`)
	email = `${username}@campus.example`
})

const request = () => new Request('http://localhost/', { headers: { 'x-client-ip': `198.51.100.${count}` } })

type Waiting = Mail & { link: { kind: string; token: string } }

/** The queued mail, as its job stores it. */
async function waiting(): Promise<Waiting> {
	await sendAccountMail({ kind: 'reset', email })
	const { rows } = await sql<{ payload: Waiting }>`
		select payload from graphile_worker._private_jobs where payload->>'link' is not null order by id desc limit 1`.execute(
		db(),
	)
	if (!rows[0]) throw new Error('No mail waits.')
	return rows[0].payload
}

/** Lets this many minutes pass for all links. */
const pass = (minutes: number) =>
	sql`
	update verifications set expires_at = expires_at - make_interval(mins => ${minutes}),
		created_at = created_at - make_interval(mins => ${minutes})`.execute(db())

const password = 'a ferry across the long lake'
const use = ({ link: { token } }: Waiting) =>
	resetPassword(form({ token, password, confirmPassword: password }), request())
const minutesLeft = async () => {
	const { rows } = await sql<{ minutes: number }>`
		select extract(epoch from expires_at - now())::float8 / 60 as minutes from verifications order by id desc limit 1`.execute(
		db(),
	)
	return rows[0]?.minutes ?? 0
}

test('a reset link that waited an hour for the mail server is valid for ten minutes after it was sent', async () => {
	const mail = await waiting()
	await pass(60)
	await sendQueuedMail(mail)
	expect(await minutesLeft()).toBeCloseTo(10, 0)
	await pass(9)
	await use(mail)
})

test('a reset link expires ten minutes after it was sent', async () => {
	const mail = await waiting()
	await sendQueuedMail(mail)
	await pass(11)
	await expect(use(mail)).rejects.toThrow(/has been used or has expired/)
})

test('a retry restarts its lifetime, but it expires a day after it was requested', async () => {
	const mail = await waiting()
	await sendQueuedMail(mail)
	await pass(8)
	await sendQueuedMail(mail)
	expect(await minutesLeft()).toBeCloseTo(10, 0)
	await pass(24 * 60)
	await sendQueuedMail(mail)
	expect(await minutesLeft()).toBeLessThan(0)
})

test('a mail queued by the previous version starts its lifetime too; one of an unknown feature is left to another node', async () => {
	const { link, ...mail } = await waiting()
	await pass(60)
	await sendQueuedMail({ ...mail, resetToken: link.token })
	expect(await minutesLeft()).toBeCloseTo(10, 0)
	await expect(sendQueuedMail({ ...mail, link: { kind: 'unknown', token: link.token } })).rejects.toThrow(/“unknown”/)
})
