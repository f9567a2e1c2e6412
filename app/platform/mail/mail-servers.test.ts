import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { createServer as createTlsServer } from 'node:tls'
import { afterEach, expect, onTestFinished, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import { makeCertificate } from '../../../tests/support/certificate.ts'
import { closeMail, describeMailError, sendMail } from './mail.server.ts'

/* Mail servers that break off, or that somebody on the way has changed. */

afterEach(closeMail)

const mail = { to: 'mira@eastmere.example', subject: 'Hello', text: 'Hello', html: '<p>Hello</p>' }
const send = (url: string, withinMs?: number) =>
	sendMail(mail, { SMTP_URL: url, MAIL_FROM: 'quad@campus.example', dataDir: config().dataDir }, withinMs)

/**
 * A mail server without TLS that takes logins.
 * @param end called when a mail is complete, instead of accepting it
 * @param greet called for each connection; it greets once that resolves
 */
async function startServer(
	end: (socket: Socket, number: number) => boolean = () => true,
	greet: () => Promise<void> = async () => {},
) {
	const lines: string[] = []
	let mails = 0
	const talk = (socket: Socket) => {
		let inMail = false
		void greet().then(() => socket.on('error', () => {}).write('220 mail.example\r\n'))
		socket.setEncoding('utf8').on('data', (chunk: string) => {
			for (const line of chunk.split('\r\n').filter((one) => one !== '')) {
				lines.push(line)
				if (inMail && line !== '.') continue
				if (line === '.') {
					inMail = false
					mails += 1
					if (end(socket, mails)) socket.write('250 taken\r\n')
				} else if (line === 'DATA') {
					inMail = true
					socket.write('354 go on\r\n')
				} else if (line.startsWith('EHLO')) socket.write('250-mail.example\r\n250 AUTH PLAIN\r\n')
				else if (line.startsWith('AUTH')) socket.write('235 welcome\r\n')
				else if (line === 'STARTTLS') socket.write('502 what?\r\n')
				else socket.write('250 well\r\n')
			}
		})
	}
	const server = createServer(talk).listen(0, '0.0.0.0')
	await once(server, 'listening')
	onTestFinished(() => void server.close())
	return { port: (server.address() as AddressInfo).port, lines }
}

test('a connection that is cut before the reply is an error, and the next mail uses a new one', async () => {
	const server = await startServer((socket, number) => {
		if (number === 1) socket.destroy()
		return number > 1
	})
	const url = `smtp://127.0.0.1:${server.port}`
	await expect(send(url)).rejects.toThrow(/closed|ECONNRESET|hang up/i)
	await expect(send(url)).resolves.toBeNull()
	expect(server.lines.filter((line) => line === 'DATA')).toHaveLength(2)
})

test('a mail server that greets after twenty seconds gets the mail', async () => {
	vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
	onTestFinished(() => void vi.useRealTimers())
	const server = await startServer(undefined, async () => {
		for (let second = 0; second < 20; second += 1) {
			// In between, the client does what it has to.
			for (let turn = 0; turn < 5; turn += 1) await nextTurn()
			vi.advanceTimersByTime(1_000)
		}
	})
	await expect(send(`smtp://127.0.0.1:${server.port}`)).resolves.toBeNull()
})

test('a mail server that takes long to accept a mail, as it scans it, gets it once', async () => {
	const limit = 1_000
	const server = await startServer((socket) => {
		setTimeout(() => socket.write('250 taken\r\n'), 2 * limit)
		return false
	})
	await expect(send(`smtp://127.0.0.1:${server.port}`, limit)).resolves.toBeNull()
})

// Other systems have no second address of the loopback by default.
test.runIf(process.platform === 'linux')('a password is not sent to another machine without TLS', async () => {
	const server = await startServer()
	const away = `quad:secret@127.0.0.2:${server.port}`
	const fault = await send(`smtp://${away}`).catch((error) => error)
	expect(describeMailError(fault)).toContain('offers no TLS')
	expect(server.lines.join()).not.toContain('AUTH')
	await expect(send(`smtp://${away}/?ignoreTLS=true`)).resolves.toBeNull()
	await expect(send(`smtp://quad:secret@127.0.0.1:${server.port}`)).resolves.toBeNull()
})

test('a certificate that nobody vouches for is an error', async () => {
	const server = createTlsServer(makeCertificate()).listen(0, 'localhost')
	await once(server, 'listening')
	onTestFinished(() => void server.close())
	server.on('tlsClientError', () => {})
	const { port } = server.address() as AddressInfo
	await expect(send(`smtps://quad:secret@localhost:${port}`)).rejects.toThrow(/self-signed/)
})
