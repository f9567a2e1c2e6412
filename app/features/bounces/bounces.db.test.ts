import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { sql } from 'kysely'
import { SMTPServer } from 'smtp-server'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { closeMail, type Mail } from '~/platform/mail/mail.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { resetCounts, sentMails, useJobTables } from '../../../tests/support/jobs.ts'
import { daysAgo, pathTo, reportOn } from '../../../tests/support/mail-reports.ts'
import { sendQueuedMail } from '../accounts/registration/account-mails.server.ts'
import { digestMail } from '../notifications/digest.server.ts'
import { getPreferences } from '../notifications/preferences.server.ts'
import { MAX_TRIES_PER_DAY } from './bounces.policy.ts'
import { countAddressProblems, sweepBounces } from './bounces.queries.server.ts'
import {
	clearAddressProblems,
	getAddressProblemDetails,
	getAddressProblems,
	recordMailArrival,
	recordReport,
} from './bounces.server.ts'
import { receiveReportMessage } from './receiving.server.ts'
import { findMailByReturnPath } from './return-path.server.ts'
import { confirmTestMail, findTestMailAddress, requestTestMail, resumeMails } from './test-mails.server.ts'

useDatabase()
useJobTables()

const received: { from: string; to: string }[] = []
/** Addresses that the mail server rejects, with its answers. */
const answers = new Map<string, [code: number, words: string]>()

const server = new SMTPServer({
	disabledCommands: ['AUTH', 'STARTTLS'],
	onRcptTo: ({ address }, _session, done) => {
		const [responseCode, words] = answers.get(address) ?? []
		done(responseCode ? Object.assign(new Error(words), { responseCode }) : null)
	},
	onData: (stream, { envelope: { mailFrom, rcptTo } }, done) => {
		received.push({ from: mailFrom ? mailFrom.address : '', to: rcptTo[0]?.address ?? '' })
		stream.on('end', () => done()).resume()
	},
})

beforeAll(async () => {
	server.listen(0, '127.0.0.1')
	await once(server.server, 'listening')
	config().SMTP_URL = `smtp://127.0.0.1:${(server.server.address() as AddressInfo).port}`
	config().MAIL_FROM = 'Quad <no-reply@quad.example>'
})

afterAll(async () => {
	closeMail()
	await new Promise<void>((resolve) => server.close(() => resolve()))
})

beforeEach(async () => {
	received.length = 0
	answers.clear()
	config().MAIL_BOUNCE_ADDRESS = 'bounces@quad.example'
	await resetCounts()
})

let made = 0

async function member(): Promise<SignedIn & { email: string }> {
	made += 1
	const one = await makeMember(`mira${made}`)
	return { ...one, email: `${one.username}@campus.example` }
}

const wanted = (to: string): Mail => ({ to, subject: 'A new password', text: 'Here', html: 'Here' })
const digest = (to: string) =>
	digestMail(
		{ name: 'Mira', email: to },
		{ subject: '2 new notifications', items: [], reason: '', unsubscribe: 'https://quad.example/unsubscribe' },
	)

const kindsOf = async ({ id }: { id: number }) => (await getAddressProblems(id)).map(({ kind }) => kind)

test('a mail of convenience that waited is not sent to an address that its member has replaced', async () => {
	const mira = await member()
	await sql`update users set email = ${`new-${mira.email}`} where id = ${mira.id}`.execute(db())
	for (const mail of [digest(mira.email), wanted(mira.email), digest(`new-${mira.email}`)]) await sendQueuedMail(mail)
	expect(received.map(({ to }) => to)).toEqual([mira.email, `new-${mira.email}`])
})

test('a bounced mail marks its address: notifications stop, and a few requested mails a day continue, until a test mail arrives', async () => {
	const mira = await member()
	await sendQueuedMail(digest(mira.email))
	const [{ from = '' } = {}] = received
	expect(from).toMatch(/^bounces\+[0-9a-z]+-[0-9a-z]+-[0-9a-f]{24}@quad\.example$/)
	expect(from.split('@')[0]?.length).toBeLessThanOrEqual(64)

	expect(await receiveReportMessage(reportOn('postfix', { path: from, email: mira.email }))).toBe(true)
	expect(await receiveReportMessage(reportOn('postfix', { path: from, email: mira.email })), 'again').toBe(false)
	expect(await getAddressProblemDetails(mira.id)).toEqual([
		{
			...{ email: mira.email, isFirst: true, kind: 'returned', status: '5.1.1', since: expect.any(String) },
			reason: 'There is no such mailbox',
		},
	])
	expect((await getPreferences(mira)).isWithheld).toBe(true)

	received.length = 0
	await sendQueuedMail(digest(mira.email))
	expect(received, 'of convenience').toEqual([])
	for (let time = 0; time < MAX_TRIES_PER_DAY + 3; time += 1) await sendQueuedMail(wanted(mira.email))
	expect(received).toHaveLength(MAX_TRIES_PER_DAY)
	await sql`update mail_bounces set tried_on = tried_on - 1`.execute(db())

	await requestTestMail(mira, mira.email)
	const [mail] = await sentMails(mira.email)
	await sendQueuedMail(mail as Mail)
	expect(received).toHaveLength(MAX_TRIES_PER_DAY + 1)
	const token = /\?token=([\w-]+)/.exec(mail?.text ?? '')?.[1] ?? ''
	const other = await member()
	expect(await findTestMailAddress(other, token)).toBeNull()
	await expect(confirmTestMail(other, token)).rejects.toThrow('too old')
	expect(await findTestMailAddress(mira, token)).toBe(mira.email)
	expect(await kindsOf(mira), 'looking changes nothing').toEqual(['returned'])
	expect(await confirmTestMail(mira, token)).toBe(mira.email)
	expect(await getAddressProblems(mira.id)).toEqual([])

	expect(await receiveReportMessage(reportOn('postfix', { path: from, email: mira.email })), 'an old report').toBe(
		false,
	)
	received.length = 0
	await sendQueuedMail(digest(mira.email))
	expect(received).toHaveLength(1)
	await expect(requestTestMail(mira, mira.email)).rejects.toThrow('No mail to this address came back.')
})

describe('reports from mail servers', () => {
	test.each([
		['postfix', 'permanent', '5.1.1'],
		['exim', 'permanent', '5.2.1'],
		['exchange', 'permanent', '5.1.10'],
		['ses', 'permanent', '5.1.1'],
		['qmail', 'permanent', '5.1.1'],
		['gmail', 'temporary', ''],
		['postfix-expired', 'temporary', ''],
		['forwarded', 'temporary', ''],
		['postfix-delayed', 'nothing', ''],
		['policy', 'nothing', ''],
		['delivered', 'nothing', ''],
		['complaint', 'complaint', ''],
	])('%s: %s', async (name, says, status) => {
		const mira = await member()
		const isNews = await receiveReportMessage(reportOn(name, { path: pathTo(mira), email: mira.email }))
		expect(isNews).toBe(says !== 'nothing')
		const expected = { permanent: ['returned'], complaint: ['complained'] }[says] ?? []
		expect(await kindsOf(mira)).toEqual(expected)
		if (says === 'permanent') expect((await getAddressProblemDetails(mira.id))[0]?.status).toBe(status)
	})

	test('temporary failures on four days mark a mailbox, in any order; a delivered mail resets them', async () => {
		const mira = await member()
		const fail = (days: number) =>
			receiveReportMessage(reportOn('gmail', { path: pathTo(mira, daysAgo(days)), email: mira.email }))
		for (const days of [11, 13, 11, 12]) await fail(days)
		expect(await kindsOf(mira)).toEqual([])
		expect(
			await receiveReportMessage(reportOn('delivered', { path: pathTo(mira, daysAgo(10)), email: mira.email })),
		).toBe(true)
		for (const days of [10.5, 8, 2, 4, 8]) await fail(days)
		expect(await kindsOf(mira)).toEqual([])
		await fail(0)
		expect(await kindsOf(mira)).toEqual(['returned'])
	})

	test('a delivery clears the mark only if that mail was sent after the bounced one', async () => {
		const mira = await member()
		await receiveReportMessage(reportOn('postfix', { path: pathTo(mira, daysAgo(2)), email: mira.email }))
		const arrived = (days: number) =>
			receiveReportMessage(reportOn('delivered', { path: pathTo(mira, daysAgo(days)), email: mira.email }))
		expect([await arrived(3), await kindsOf(mira)]).toEqual([false, ['returned']])
		expect([await arrived(1), await kindsOf(mira)]).toEqual([true, []])
		expect(
			await receiveReportMessage(reportOn('postfix', { path: pathTo(mira, daysAgo(2)), email: mira.email })),
			'replayed',
		).toBe(false)
	})

	test('the envelope recipient counts if the headers do not name the return path', async () => {
		const mira = await member()
		const raw = reportOn('ses', { path: 'undisclosed-recipients:;', email: mira.email })
		await expect(receiveReportMessage(raw)).rejects.toThrow('not a report on a mail that this site sent')
		expect(await receiveReportMessage(raw, pathTo(mira))).toBe(true)
	})
})

describe('reports that mark nobody', () => {
	const forged: [what: string, path: (mira: { id: number; email: string }) => string | Promise<string>][] = [
		[
			'a token that was made up',
			({ id }) =>
				`bounces+${id.toString(36)}-${Math.floor(Date.now() / 1_000).toString(36)}-${'a'.repeat(24)}@quad.example`,
		],
		['the token of another member', async () => pathTo(await member())],
		['a changed time', (mira) => pathTo(mira).replace(/-([0-9a-z]+)-/, '-zzzzzz-')],
		['a mail of 15 days ago', (mira) => pathTo(mira, daysAgo(15))],
		['no token', () => 'bounces@quad.example'],
		['another domain', (mira) => pathTo(mira).replace('quad.example', 'quad.example.net')],
		['another name before the plus sign', (mira) => pathTo(mira).replace('bounces+', 'bounce+')],
	]
	test.each(forged)('%s', async (what, path) => {
		const mira = await member()
		const taken = receiveReportMessage(reportOn('postfix', { path: await path(mira), email: mira.email }))
		// The case needs a valid token of the other member.
		if (what.startsWith('the token of another')) await taken
		else await expect(taken).rejects.toThrow('not a report on a mail that this site sent')
		expect(await kindsOf(mira)).toEqual([])
	})

	test('a report about a member who left, or an address with a new owner', async () => {
		const [gone, before, after] = [await member(), await member(), await member()]
		const paths = [pathTo(gone), pathTo(before)]
		await sql`delete from users where id = ${gone.id}`.execute(db())
		await sql`update users set email = 'new@campus.example' where id = ${before.id}`.execute(db())
		await sql`update users set second_email = ${before.email} where id = ${after.id}`.execute(db())
		for (const path of paths)
			await expect(receiveReportMessage(reportOn('postfix', { path, email: before.email }))).rejects.toThrow(
				'still in use',
			)
		expect([await kindsOf(before), await kindsOf(after)]).toEqual([[], []])
	})

	test.each([
		[
			'an ordinary mail',
			'From: mira@campus.example\r\nTo: {path}\r\nSubject: Hello\r\n\r\nAction: failed\r\nStatus: 5.1.1\r\n',
		],
		[
			'a vacation notice',
			'From: mira@campus.example\r\nTo: {path}\r\nAuto-Submitted: auto-replied\r\n\r\nI am away.\r\n',
		],
		['nothing', ''],
		['zeros', '\0'.repeat(2_000)],
		['parts in parts', nested(60)],
		['headers without end', `To: {path}\r\n${'X-Long: a\r\n'.repeat(9_000)}\r\n`],
		[
			'a report without recipients',
			'To: {path}\r\nContent-Type: multipart/report; boundary=a\r\n\r\n--a\r\nContent-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; x\r\n\r\n--a--\r\n',
		],
	])('%s is no report', async (_what, text) => {
		const mira = await member()
		await expect(receiveReportMessage(Buffer.from(text.replaceAll('{path}', pathTo(mira))))).rejects.toThrow(
			'not a report on a mail',
		)
		expect(await kindsOf(mira)).toEqual([])
	})

	test('a truncated report is evaluated as far as possible, and a huge one is refused', async () => {
		const mira = await member()
		const whole = reportOn('postfix', { path: pathTo(mira), email: mira.email })
		await expect(receiveReportMessage(whole.subarray(0, 1_200))).rejects.toThrow('not a report on a mail')
		expect(await receiveReportMessage(whole.subarray(0, whole.indexOf('Undelivered Message')))).toBe(true)
		await expect(receiveReportMessage(Buffer.concat([whole, Buffer.alloc(600_000, 'a')]))).rejects.toThrow(
			'at most 512 KB',
		)
	})
})

function nested(depth: number): string {
	const open = (level: number) => `Content-Type: multipart/mixed; boundary=b${level}\r\n\r\n--b${level}\r\n`
	return `To: {path}\r\n${Array.from({ length: depth }, (_, level) => open(level)).join('')}`
}

describe('a mail server that rejects at once', () => {
	test.each<[code: number, words: string, kinds: string[]]>([
		[550, '5.1.1 User unknown', ['returned']],
		[550, '5.7.1 Blocked by our policy', []],
		[552, '5.2.2 The mailbox is full', []],
		[550, 'No', []],
	])('%i %s', async (code, words, kinds) => {
		const mira = await member()
		answers.set(mira.email, [code, words])
		await sendQueuedMail(wanted(mira.email))
		expect(await kindsOf(mira)).toEqual(kinds)
	})

	test('a deferred mail does not count towards the daily limit of a marked address', async () => {
		const mira = await member()
		await recordReport(
			{ userId: mira.id, email: mira.email, sentAt: new Date() },
			{ says: 'permanent', status: '5.1.1' },
		)
		answers.set(mira.email, [450, 'Try later'])
		for (let time = 0; time < MAX_TRIES_PER_DAY + 1; time += 1)
			await expect(sendQueuedMail(wanted(mira.email))).rejects.toThrow()
		answers.clear()
		await sendQueuedMail(wanted(mira.email))
		expect(received).toHaveLength(1)
	})
})

test('a complaint stops only optional mails, until the member turns them on again', async () => {
	const mira = await member()
	await receiveReportMessage(reportOn('complaint', { path: pathTo(mira), email: mira.email }))
	for (let time = 0; time < MAX_TRIES_PER_DAY + 1; time += 1) await sendQueuedMail(wanted(mira.email))
	await sendQueuedMail(digest(mira.email))
	expect(received).toHaveLength(MAX_TRIES_PER_DAY + 1)
	await clearAddressProblems(db(), mira.id)
	expect(await kindsOf(mira), 'an arrival changes nothing about it').toEqual(['complained'])
	await resumeMails(mira)
	await sendQueuedMail(digest(mira.email))
	expect([await kindsOf(mira), received.length]).toEqual([[], MAX_TRIES_PER_DAY + 2])
})

test('a member who is leaving gets no optional mails, unless they come back', async () => {
	const mira = await member()
	const leaves = (at: string | null) =>
		sql`update users set leaves_at = ${at}::timestamptz where id = ${mira.id}`.execute(db())
	await leaves('infinity')
	await sendQueuedMail(digest(mira.email))
	await sendQueuedMail(wanted(mira.email))
	expect(received).toHaveLength(1)
	await leaves(null)
	await sendQueuedMail(digest(mira.email))
	expect(received).toHaveLength(2)
})

test('90 days after a member has left the university, optional mails stop until they log in again', async () => {
	const mira = await member()
	const left = (days: number) =>
		sql`update users set left_campus_at = now() - make_interval(days => ${days}), absent_since = now() where id = ${mira.id}`.execute(
			db(),
		)
	await left(89)
	await sendQueuedMail(digest(mira.email))
	expect(received).toHaveLength(1)
	await left(91)
	await sendQueuedMail(digest(mira.email))
	expect(received).toHaveLength(1)
	await sendQueuedMail(wanted(mira.email))
	expect(received).toHaveLength(2)
	await sql`insert into sessions (user_id, token, expires_at) values (${mira.id}, 'of mira', now() + interval '1 day')`.execute(
		db(),
	)
	await sendQueuedMail(digest(mira.email))
	expect(received).toHaveLength(3)
})

test('a mark is deleted with its address, survives a swap, and is cleared by following a link mailed to the only address', async () => {
	const mira = await member()
	const own = { userId: mira.id, email: mira.email, sentAt: new Date() }
	await recordReport(own, { says: 'permanent', status: '5.1.1' })
	await sql`update users set second_email = 'home@home.example' where id = ${mira.id}`.execute(db())
	await recordMailArrival(mira.id)
	expect(await kindsOf(mira), 'of two, which one it was is not known').toEqual(['returned'])
	await sql`update users set email = second_email, second_email = email where id = ${mira.id}`.execute(db())
	expect(await getAddressProblems(mira.id)).toMatchObject([{ email: mira.email, isFirst: false }])
	expect((await getPreferences(mira)).isWithheld).toBe(false)
	await sql`update users set second_email = null where id = ${mira.id}`.execute(db())
	expect(await getAddressProblems(mira.id)).toEqual([])
	expect(await recordReport(own, { says: 'permanent', status: '5.1.1' }), 'the address is nobody’s').toBe(false)

	const wade = await member()
	await recordReport({ userId: wade.id, email: wade.email, sentAt: new Date() }, { says: 'permanent', status: '' })
	await recordMailArrival(wade.id)
	expect(await kindsOf(wade)).toEqual([])
})

test('twenty concurrent reports count once; old failures are deleted, but marks are not', async () => {
	await sql`truncate mail_bounces`.execute(db())
	const [mira, wade] = [await member(), await member()]
	const raw = reportOn('postfix', { path: pathTo(mira), email: mira.email })
	const news = await Promise.all(Array.from({ length: 20 }, () => receiveReportMessage(raw)))
	expect(news.filter(Boolean)).toHaveLength(1)
	await receiveReportMessage(reportOn('gmail', { path: pathTo(wade), email: wade.email }))
	await sql`update mail_bounces set sent_at = now() - interval '91 days'`.execute(db())
	expect([await sweepBounces(90, 10), await countAddressProblems()]).toEqual([1, { returned: 1, complained: 0 }])
})

test('without MAIL_BOUNCE_ADDRESS mails have no return path', async () => {
	config().MAIL_BOUNCE_ADDRESS = undefined
	const mira = await member()
	await sendQueuedMail(wanted(mira.email))
	expect(received).toEqual([{ from: 'no-reply@quad.example', to: mira.email }])
	config().MAIL_BOUNCE_ADDRESS = 'bounces@quad.example'
	await sendQueuedMail(wanted('nobody@home.example'))
	expect(received.at(-1)?.from, 'an address of no account').toBe('bounces@quad.example')
	expect(await findMailByReturnPath('bounces@quad.example')).toBeNull()
})
