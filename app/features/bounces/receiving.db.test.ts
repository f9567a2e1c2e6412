import { beforeEach, describe, expect, test } from 'vitest'
import '~/features/index.server.ts'
import { config } from '~/config.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { pathTo, reportOn } from '../../../tests/support/mail-reports.ts'
import { getAddressProblems } from './bounces.server.ts'
import { receivePostedReport } from './receiving.server.ts'

useDatabase()

const secret = 'a secret of the mail server'

beforeEach(() => {
	config().MAIL_BOUNCE_ADDRESS = 'bounces@quad.example'
	config().MAIL_BOUNCE_SECRET = secret
})

let made = 0

async function member(): Promise<SignedIn & { email: string }> {
	made += 1
	const one = await makeMember(`mira${made}`)
	return { ...one, email: `${one.username}@campus.example` }
}

const kindsOf = async ({ id }: { id: number }) => (await getAddressProblems(id)).map(({ kind }) => kind)

function post(body: Buffer | object, { type = 'application/json', authorization = `Bearer ${secret}` } = {}) {
	const isRaw = Buffer.isBuffer(body)
	const request = new Request('http://localhost:3000/mail/bounces', {
		method: 'POST',
		headers: { 'Content-Type': isRaw ? 'message/rfc822' : type, Authorization: authorization },
		body: isRaw ? new Uint8Array(body) : JSON.stringify(body),
	})
	return receivePostedReport(request, '192.0.2.7')
}

describe('posted reports', () => {
	test.each([
		['no secret', '', 'needs the header Authorization'],
		['a wrong one', 'Bearer another secret of it', 'needs the header Authorization'],
		['the right one, as a password', `Basic ${Buffer.from(`hook:${secret}`).toString('base64')}`, null],
	])('%s', async (_what, authorization, refusal) => {
		const mira = await member()
		const sent = post({ type: 'bounce', recipient: mira.email, permanent: true }, { authorization })
		if (refusal) await expect(sent).rejects.toThrow(refusal)
		else expect(await sent).toEqual({ noted: true })
		expect(await kindsOf(mira)).toEqual(refusal ? [] : ['returned'])
	})

	const at = '2026-03-03T09:14:11.5+00:00'
	test.each<[event: object, kinds: string[]]>([
		[{ type: 'bounce', permanent: true, status: '5.1.1' }, ['returned']],
		[{ type: 'bounce', permanent: true, status: '5.7.1' }, []],
		[{ type: 'bounce' }, []],
		[{ type: 'complaint', sentAt: at }, ['complained']],
		[{ type: 'delivery' }, []],
		[{ RecordType: 'Bounce', Type: 'HardBounce', TypeCode: 1, BouncedAt: at }, ['returned']],
		[{ RecordType: 'Bounce', Type: 'SoftBounce', TypeCode: 4096, BouncedAt: at }, []],
		[{ RecordType: 'Bounce', Type: 'DMARCPolicy', BouncedAt: at }, []],
		[{ RecordType: 'SpamComplaint', BouncedAt: at }, ['complained']],
	])('%j', async (event, kinds) => {
		const mira = await member()
		const address = mira.email.toUpperCase()
		await post('RecordType' in event ? { ...event, Email: address } : { ...event, recipient: address })
		expect(await kindsOf(mira)).toEqual(kinds)
	})

	test('a token must be valid; the address may be unknown', async () => {
		const mira = await member()
		const event = { type: 'bounce', recipient: 'private@home.example', permanent: true }
		expect(await post(event)).toEqual({ noted: false })
		await expect(post({ ...event, token: 'made-up' })).rejects.toThrow('not a report on a mail that this site sent')
		const token = /\+(.+)@/.exec(pathTo(mira))?.[1]
		expect(await post({ ...event, token })).toEqual({ noted: true })
		expect(await kindsOf(mira)).toEqual(['returned'])
	})

	test.each<[body: object, type: string, refusal: RegExp]>([
		[[], 'application/json', /./],
		[{ type: 'open', recipient: 'mira@campus.example' }, 'application/json', /^type: must be bounce/],
		[{ type: 'bounce' }, 'application/json', /^recipient: must be an email address$/],
		[{ type: 'bounce', recipient: 'mira@campus.example', permanent: 1 }, 'application/json', /^permanent: ./],
		[{ RecordType: 'Open', Email: 'mira@campus.example' }, 'application/json', /^RecordType: ./],
		[{ RecordType: 'SpamComplaint', BouncedAt: at }, 'application/json', /^Email: must be an email address$/],
		[{}, 'text/plain', /message\/rfc822/],
	])('%j as %s is refused', async (body, type, refusal) => {
		await expect(post(body, { type })).rejects.toMatchObject({ status: 422, message: expect.stringMatching(refusal) })
	})

	test('a message from a mail server, and a duplicate', async () => {
		const mira = await member()
		const report = reportOn('exim', { path: pathTo(mira), email: mira.email })
		expect([await post(report), await post(report)]).toEqual([{ noted: true }, { noted: false }])
		expect(await kindsOf(mira)).toEqual(['returned'])
	})

	test('without a secret nothing is accepted', async () => {
		config().MAIL_BOUNCE_SECRET = undefined
		await expect(post({ type: 'bounce' })).rejects.toMatchObject({ status: 404 })
	})
})
