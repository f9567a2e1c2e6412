import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { config, parseConfig } from '~/config.server.ts'
import { demoAccounts } from '~/features/demo/demo-account.server.ts'
import { Unavailable } from '~/lib/errors.ts'
import { closeDatabase, openDatabase, pool } from '~/platform/db/db.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { linkMail, sendMail } from '~/platform/mail/mail.server.ts'
import { openStorage } from '~/platform/storage/storage.server.ts'
import { eventually } from '../support/eventually.ts'
import { startOnTestDatabase } from '../support/members-site.ts'
import { type OwnPostgres, startOwnPostgres } from '../support/own-postgres.ts'
import { startSite } from '../support/site-process.ts'
import { canIsolate, isolationNote, mountSmallDisk } from '../support/small-disk.ts'
import { CountingClient, MAX_ANSWER_MS } from './counting-client.ts'

/* Dependencies of the site that hang, or run out of space. */

const STOPPED_MS = 30_000
const WRITERS = 24

let postgres: OwnPostgres

beforeAll(async () => {
	postgres = await startOwnPostgres()
	openDatabase({ connectionString: postgres.url })
	await migrate(pool(), 'migrations')
})

afterAll(async () => {
	await closeDatabase()
	await postgres.stop()
})

test('PostgreSQL is stopped for 30 s while members write: nothing is lost or doubled, and nobody waits for long', async () => {
	const site = await startOnTestDatabase(undefined, { DATABASE_URL: postgres.url })
	onTestFinished(() => site.stop())
	const client = new CountingClient(() => site.url)
	await client.start(WRITERS)
	await sleep(5_000)
	const goOn = postgres.freeze()
	await sleep(STOPPED_MS)
	goOn()
	await sleep(10_000)
	const count = await client.stop()
	process.stdout.write(`PostgreSQL stopped: ${JSON.stringify(count)}\n`)
	expect([count.lost, count.doubled]).toEqual([[], []])
	expect(count.failed).toBeGreaterThan(0)
	expect(count.acknowledged).toBeGreaterThan(WRITERS * 8)
	expect(count.longestMs).toBeLessThan(MAX_ANSWER_MS)
})

/** A server that accepts connections and never responds. */
async function silentPort(): Promise<number> {
	const server = createServer(() => {}).listen(0, '127.0.0.1')
	await once(server, 'listening')
	onTestFinished(() => {
		server.close()
	})
	return (server.address() as AddressInfo).port
}

test('a bucket that does not answer is given up in time', async () => {
	const S3_ENDPOINT = `http://127.0.0.1:${await silentPort()}`
	const keys = { S3_BUCKET: 'quad', S3_ACCESS_KEY_ID: 'x', S3_SECRET_ACCESS_KEY: 'x' }
	const storage = await openStorage(parseConfig({ ...keys, S3_ENDPOINT, DATA_DIR: tmpdir() }))
	for (const call of [
		() => storage.put('a', Buffer.from('a'), 'image/webp'),
		() => storage.read('a'),
		() => storage.remove('a'),
	]) {
		const began = performance.now()
		await expect(call()).rejects.toBeInstanceOf(Unavailable)
		const ms = Math.round(performance.now() - began)
		process.stdout.write(`bucket: ${ms} ms\n`)
		expect(ms).toBeLessThan(MAX_ANSWER_MS)
	}
})

test('a mail server that does not answer is given up in time', async () => {
	const mail = linkMail('mira@eastmere.example', 'Hello', 'Hello.', { label: 'Open', url: 'http://localhost/' }, 'Bye.')
	const began = performance.now()
	const settings = { SMTP_URL: `smtp://127.0.0.1:${await silentPort()}`, MAIL_FROM: 'quad@quad.example' }
	await expect(sendMail(mail, { ...settings, dataDir: config().dataDir })).rejects.toThrow()
	const ms = Math.round(performance.now() - began)
	process.stdout.write(`mail server: ${ms} ms\n`)
	expect(ms).toBeLessThan(35_000)
})

test.skipIf(!canIsolate)(`on a full disk reads go on, writes and moderators are told${isolationNote}`, async () => {
	const disk = await mountSmallDisk(160)
	onTestFinished(disk.remove)
	const site = await startSite({ DATA_DIR: join(disk.folder, 'data') }, undefined, disk.prefix)
	onTestFinished(async () => void (await site.stop()))
	const accounts = await demoAccounts(join(disk.seen, 'data'))
	const ask = async (path: string, cookie: string, form?: Record<string, string>) => {
		const began = performance.now()
		const answer = await fetch(site.url + path, {
			redirect: 'manual',
			headers: { Origin: site.url, Cookie: cookie },
			...(form && { method: 'POST', body: new URLSearchParams(form) }),
		})
		return { status: answer.status, body: await answer.text(), headers: answer.headers, ms: performance.now() - began }
	}
	const logIn = async ({ email, password }: { email: string; password: string }) => {
		const { headers } = await ask('/login', '', { email, password })
		return headers
			.getSetCookie()
			.map((cookie) => cookie.split(';')[0])
			.join('; ')
	}
	if (!accounts?.moderator) throw new Error('The demo content has no moderator.')
	const [member, moderator] = [await logIn(accounts.member), await logIn(accounts.moderator)]
	const query = /href="(\/forum\/[a-z-]+\/[\w.-]+\/\d+\/[\w-]+)"/.exec((await ask('/forum', '')).body)?.[1] ?? ''
	let longest = 0
	const write = (number: number) =>
		ask(query, member, { intent: 'comment', body: `${number} ${'a long comment '.repeat(600)}`, key: `full-${number}` })
	disk.fill()
	const refused = await eventually(async () => {
		const answer = await write(Math.random())
		longest = Math.max(longest, answer.ms)
		expect([503, 507]).toContain(answer.status)
		return answer
	})
	process.stdout.write(`full disk: ${refused.status}, longest ${Math.round(longest)} ms\n`)
	expect(refused.body.includes('a long comment')).toBe(true)
	expect((await ask('/forum', '')).status).toBe(200)
	expect((await ask('/forum', moderator)).body.includes('disk is full: nothing can be saved')).toBe(true)
	disk.free()
	await eventually(async () => expect((await write(Math.random())).status).toBe(303))
	await eventually(async () => expect((await ask('/find-dev', moderator)).status).toBe(200))
	expect(longest).toBeLessThan(MAX_ANSWER_MS)
})
