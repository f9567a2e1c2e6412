import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SMTPServer } from 'smtp-server'
import { afterEach, expect, test } from 'vitest'
import { config } from '~/config.server.ts'
import { canIsolate, isolationNote, mountSmallDisk } from '../../../tests/support/small-disk.ts'
import { closeMail, linkMail, removeMailsNaming, sendMail, sweepMails } from './mail.server.ts'

const link = { label: 'Set a new password', url: 'http://localhost:3000/reset-password?token=a&b="c"' }
const mail = () =>
	linkMail('mira@eastmere.example', 'Grüße an <Mira>', 'Somebody asked <b>you</b>.', link, 'Nothing has to be done.')

afterEach(closeMail)

test('a mail reaches an SMTP server as text and as HTML', async () => {
	const received: { to: string[]; from: string; body: string }[] = []
	const server = new SMTPServer({
		disabledCommands: ['AUTH', 'STARTTLS'],
		onData: (stream, session, done) => {
			let body = ''
			stream.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
			stream.on('end', () => {
				const from = session.envelope.mailFrom
				received.push({
					to: session.envelope.rcptTo.map(({ address }) => address),
					from: from ? from.address : '',
					body,
				})
				done()
			})
		},
	})
	server.listen(0, '127.0.0.1')
	await once(server.server, 'listening')
	const { port } = server.server.address() as AddressInfo
	await sendMail(mail(), {
		SMTP_URL: `smtp://127.0.0.1:${port}`,
		MAIL_FROM: 'Quad <no-reply@quad.example>',
		dataDir: config().dataDir,
	})
	closeMail()
	await new Promise<void>((resolve) => server.close(() => resolve()))
	expect(received).toHaveLength(1)
	expect(received[0]).toMatchObject({ to: ['mira@eastmere.example'], from: 'no-reply@quad.example' })
	const body = received[0]?.body ?? ''
	expect(body).toContain('Content-Type: multipart/alternative')
	expect(body).toMatch(/Content-Type: text\/plain[\s\S]*Content-Type: text\/html/)
	expect(decode(body)).toContain('Set a new password: http://localhost:3000/reset-password?token=a&b="c"')
	expect(decode(body)).toContain('<a href="http://localhost:3000/reset-password?token=a&amp;b=&quot;c&quot;"')
	expect(decode(body)).toContain('<p>Somebody asked &lt;b&gt;you&lt;/b&gt;.</p>')
})

test('a mail has the colours of the pages, in both themes', () => {
	const tokens = readFileSync('app/ui/tokens.css', 'utf8')
	const [light = '', dark = ''] = mail().html.split('prefers-color-scheme:dark')
	const coloursOf = (css: string) => [...css.matchAll(/#[0-9a-f]{6}/g)].map(([colour]) => colour)
	for (const colour of coloursOf(light)) expect(tokens).toContain(`light-dark(${colour}, `)
	for (const colour of coloursOf(dark)) expect(tokens).toContain(`, ${colour})`)
	expect(coloursOf(dark).length).toBe(coloursOf(light).length)
})

test('a mail that the server rejects temporarily is an error, so that the job is retried', async () => {
	const server = new SMTPServer({
		disabledCommands: ['AUTH', 'STARTTLS'],
		onRcptTo: (_address, _session, done) => done(Object.assign(new Error('Try later'), { responseCode: 450 })),
	})
	server.listen(0, '127.0.0.1')
	await once(server.server, 'listening')
	const { port } = server.server.address() as AddressInfo
	const settings = {
		SMTP_URL: `smtp://127.0.0.1:${port}`,
		MAIL_FROM: 'no-reply@quad.example',
		dataDir: config().dataDir,
	}
	await expect(sendMail(mail(), settings)).rejects.toThrow(/450|Try later/)
	closeMail()
	await new Promise<void>((resolve) => server.close(() => resolve()))
})

test('many mails share one connection; a permanent refusal is not retried, but that of a sender is', async () => {
	let connections = 0
	const server = new SMTPServer({
		disabledCommands: ['AUTH', 'STARTTLS'],
		onConnect: (_session, done) => {
			connections += 1
			done()
		},
		onMailFrom: ({ address }, _session, done) =>
			done(address.startsWith('wrong') ? Object.assign(new Error('Who is this?'), { responseCode: 553 }) : null),
		onRcptTo: ({ address }, _session, done) =>
			done(address.startsWith('gone') ? Object.assign(new Error('No such mailbox'), { responseCode: 550 }) : null),
		onData: (stream, _session, done) => stream.on('end', () => done()).resume(),
	})
	server.listen(0, '127.0.0.1')
	await once(server.server, 'listening')
	const { port } = server.server.address() as AddressInfo
	const settings = (from: string) => ({
		...{ SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: `${from}@quad.example`, dataDir: config().dataDir },
	})
	for (let number = 0; number < 5; number += 1) await sendMail(mail(), settings('quad'))
	expect(connections).toBe(1)
	await expect(sendMail({ ...mail(), to: 'gone@eastmere.example' }, settings('quad'))).resolves.toEqual({
		...{ code: 550, answer: '550 No such mailbox', isOfRecipient: true },
	})
	await expect(sendMail(mail(), settings('wrong'))).rejects.toThrow(/553|Who is this/)
	closeMail()
	await new Promise<void>((resolve) => server.close(() => resolve()))
})

test('a mail that takes too long is broken off, so that it does not arrive beside the next try', async () => {
	const closed = Promise.withResolvers<void>()
	const server = createServer((socket) => {
		let timer: NodeJS.Timeout | undefined
		socket.write('220 slow.example\r\n')
		socket.on('data', (data) => {
			if (timer) return
			if (!String(data).startsWith('RCPT')) return socket.write('250 well\r\n')
			// The first lines of an answer without an end.
			timer = setInterval(() => socket.write('250-wait\r\n'), 50)
		})
		socket.once('close', () => {
			clearInterval(timer)
			closed.resolve()
		})
		socket.on('error', () => {})
	}).listen(0, '127.0.0.1')
	await once(server, 'listening')
	const { port } = server.address() as AddressInfo
	const settings = { SMTP_URL: `smtp://127.0.0.1:${port}`, MAIL_FROM: 'quad@campus.example', dataDir: config().dataDir }
	await expect(sendMail(mail(), settings, 500)).rejects.toThrow('The mail server took longer than 0.5 s for one mail.')
	await closed.promise
	server.close()
}, 20_000)

test('without an SMTP server, a mail is written to a file that only its owner can read', async () => {
	await sendMail(mail())
	const folder = join(config().dataDir, 'mail')
	const [file = ''] = readdirSync(folder)
	expect(file).toMatch(/\.eml$/)
	expect(statSync(join(folder, file)).mode & 0o777).toBe(0o600)
	expect(decode(readFileSync(join(folder, file), 'utf8'))).toContain('To: mira@eastmere.example')
})

/** Decodes quoted-printable, well enough to search the text for ASCII. */
function decode(body: string): string {
	return body
		.replace(/=\r?\n/g, '')
		.replace(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

test.runIf(canIsolate)(`a mail that does not fit on the disk leaves no file${isolationNote}`, async () => {
	const disk = await mountSmallDisk(1)
	try {
		const settings = { SMTP_URL: undefined, MAIL_FROM: 'quad@campus.example', dataDir: disk.seen }
		await sendMail(mail(), settings)
		disk.fill()
		await expect(sendMail(mail(), settings)).rejects.toThrow('ENOSPC')
		expect(readdirSync(join(disk.seen, 'mail'))).toHaveLength(1)
	} finally {
		await disk.remove()
	}
})

test('mail files older than 30 days are removed, and all but the newest 1,000', async () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-mails-'))
	const folder = join(dataDir, 'mail')
	mkdirSync(folder)
	const nameOf = (daysAgo: number, number: number) =>
		`${new Date(Date.now() - daysAgo * 86_400_000).toISOString().replaceAll(':', '-')}-${String(number).padStart(8, '0')}.eml`
	for (let number = 0; number < 3; number += 1) writeFileSync(join(folder, nameOf(31, number)), '')
	writeFileSync(join(folder, 'notes.txt'), 'not a mail')
	for (let number = 0; number < 1_005; number += 1) writeFileSync(join(folder, nameOf(number / 100, number)), '')
	const newest = readdirSync(folder).sort().slice(-1_001)
	expect(await sweepMails(30, { dataDir })).toBe(8)
	expect(readdirSync(folder).sort()).toEqual(newest)
	rmSync(dataDir, { recursive: true })
})

test('mail files that name a member are removed, whatever the encoding of the mail', async () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-mail-'))
	const settings = { SMTP_URL: undefined, MAIL_FROM: 'quad@campus.example', dataDir }
	const write = (subject: string, text: string) =>
		sendMail({ to: 'mira@campus.example', subject, text, html: `<p>${text}</p>` }, settings)
	const hindi = 'यह प्रश्न आपके लिए है और इसका उत्तर अभी तक नहीं मिला। '
	await write('An answer', `${'ä'.repeat(40)} @leaver wrote.`)
	await write('An answer', `${hindi.repeat(4)} @leaver`)
	await write(`${hindi} @leaver ${hindi}`, 'Hello')
	await write('Of somebody else', `${hindi.repeat(4)} @stayer`)
	await removeMailsNaming('@leaver\\b', settings)
	const left = readdirSync(join(dataDir, 'mail'))
	expect(left.map((name) => readFileSync(join(dataDir, 'mail', name), 'utf8'))).toEqual([
		expect.stringContaining('Of somebody else'),
	])
	rmSync(dataDir, { recursive: true })
})
