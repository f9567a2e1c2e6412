import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { SMTPServer } from 'smtp-server'
import { afterAll, afterEach, beforeEach, describe, expect, test } from 'vitest'
import { parseConfig } from '~/config.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { encryptSecret } from '~/platform/encryption.server.ts'
import { useDatabase } from '../../tests/support/database.ts'
import { testDatabaseUrl } from '../../tests/support/members-site.ts'
import { assessAnswer, checkAddress } from './address.ts'
import { assessBounces, checkBounces } from './bounces.ts'
import { assessDatabase, checkDatabase, type DatabaseFacts } from './database.ts'
import { assessClock, type Finding, findingsOf } from './finding.ts'
import { assessDisk, checkDataDirectory, checkDisk } from './machine.ts'
import { checkMail } from './mail.ts'
import { checkPush } from './push.ts'
import { checkSavedSecrets } from './secrets.ts'
import { checkStorage } from './storage.ts'

/* Each check of `npm run doctor`, once well and once for each way in which its subject is broken. Real proxies are in
 * tests/process/proxies.test.ts. */

useDatabase()

let dataDir = ''
const servers: (Server | SMTPServer)[] = []

beforeEach(() => {
	dataDir = mkdtempSync(join(tmpdir(), 'devquad-doctor-'))
})

afterEach(() => rmSync(dataDir, { recursive: true, force: true }))
afterAll(() => {
	for (const server of servers) server.close()
})

const settings = (env: Record<string, string> = {}) => parseConfig({ DATA_DIR: dataDir, ...env })
const of = (state: Finding['state'], found: Finding[]) =>
	found.filter((one) => one.state === state).map(({ words }) => words)
const faults = (found: Finding[]) => of('fault', found).join('\n')

async function listen(server: Server): Promise<number> {
	servers.push(server)
	server.listen(0, '127.0.0.1')
	await once(server, 'listening')
	return (server.address() as AddressInfo).port
}

describe('the data directory and its disk', () => {
	test('that are fine', async () => {
		const found = [...(await checkDataDirectory(dataDir)), ...(await checkDisk(dataDir))]
		expect([of('ok', found).length, faults(found)]).toEqual([2, ''])
	})

	test.each([
		['is not there', () => rmSync(dataDir, { recursive: true }), 'is not there'],
		['is a file', () => [rmSync(dataDir, { recursive: true }), writeFileSync(dataDir, '')], 'is not a folder'],
		['is open to others', () => chmodSync(dataDir, 0o755), 'Other accounts may enter'],
		[
			'has a secret that others may read',
			() => writeFileSync(join(dataDir, 'auth-secret'), '', { mode: 0o644 }),
			'Other accounts may read auth-secret',
		],
	])('a directory that %s', async (_what, breakIt, words) => {
		breakIt()
		expect(faults(await checkDataDirectory(dataDir))).toContain(words)
	})

	test('a link to the directory, as to one on another disk', async () => {
		const link = `${dataDir}-link`
		symlinkSync(dataDir, link)
		const found = await checkDataDirectory(link)
		rmSync(link)
		expect([of('ok', found).length, faults(found)]).toEqual([1, ''])
	})

	test('where there is none, nothing else is checked, and none is made, which would belong to the wrong account', () => {
		rmSync(dataDir, { recursive: true })
		const env = { ...process.env, DATA_DIR: dataDir, NODE_ENV: 'production' }
		const { status, stdout } = spawnSync(
			process.execPath,
			['--import', './scripts/support/alias.mjs', 'scripts/doctor.ts'],
			{
				encoding: 'utf8',
				env,
			},
		)
		expect(stdout).toMatch(/^✗ Data directory: DATA_DIR, .+ is not there\. .+\n\n0 ok, 0 warnings, 1 problem\n$/)
		expect([status, existsSync(dataDir)]).toEqual([1, false])
	})

	test('a directory that cannot be written', { skip: process.getuid?.() === 0 }, async () => {
		chmodSync(dataDir, 0o500)
		expect(faults(await checkDataDirectory(dataDir))).toContain('Nothing can be written')
	})

	test.each([
		[1e6, 'fault'],
		[4e8, 'warning'],
		[5e10, 'ok'],
	])('%d bytes left are %s', (left, state) => {
		expect(assessDisk(left, 1e11).state).toBe(state)
	})
})

describe('mail that comes back', () => {
	const unknown = () => Promise.reject(Object.assign(new Error('not there'), { code: 'ENOTFOUND' }))
	const address = { MAIL_BOUNCE_ADDRESS: 'bounces@quad.example' }
	const known = async () => [{}]
	test.each<
		[
			env: Record<string, string>,
			dns: [mx: () => Promise<unknown[]>, host: () => Promise<unknown>],
			state: Finding['state'],
			words: string,
		]
	>([
		[address, [known, known], 'ok', 'send a mail there once'],
		[address, [unknown, known], 'warning', 'has no MX record'],
		[address, [unknown, unknown], 'fault', 'no mail that comes back arrives'],
		[address, [() => Promise.reject(new Error('queryMx ETIMEOUT')), known], 'warning', 'DNS does not say'],
		[{ SMTP_URL: 'smtp://127.0.0.1' }, [known, known], 'warning', 'does not learn of mails'],
		[{}, [known, known], 'ok', 'No mail to a member’s address comes back'],
	])('%j', async (env, [resolveMx, lookup], state, words) => {
		const found = await checkBounces(settings({ ...env, DATABASE_URL: await testDatabaseUrl() }), { resolveMx, lookup })
		expect(found.filter((one) => one.words.includes(words)).map((one) => one.state)).toEqual([state])
	})

	test.each([
		[3, 20, 'ok'],
		[40, 5_000, 'ok'],
		[400, 5_000, 'warning'],
	])('from %i of %i addresses is %s', (returned, all, state) => {
		expect(assessBounces({ returned, all }).state).toBe(state)
	})
})

describe('the database', () => {
	const sound: DatabaseFacts = {
		version: 180_004,
		encoding: 'UTF8',
		fsync: 'on',
		fullPageWrites: 'on',
		readOnly: 'off',
		maxConnections: 100,
		extensions: ['pg_trgm', 'unaccent', 'btree_gin'],
		migrations: ['0001_a.sql'],
		clockMs: 20,
	}

	test.each<[string, Partial<DatabaseFacts>, string]>([
		['is well', {}, ''],
		['is too old', { version: 140_011 }, 'PostgreSQL 14 is too old'],
		['is in Latin 1', { encoding: 'LATIN1' }, 'must be in UTF8'],
		['does not wait for the disk', { fsync: 'off' }, 'fsync is off'],
		['can only be read', { readOnly: 'on' }, 'It can only be read'],
		['may have torn pages', { fullPageWrites: 'off' }, 'full_page_writes is off'],
		['lacks an extension', { extensions: ['unaccent', 'btree_gin'] }, 'lacks the extensions pg_trgm'],
		['takes too few connections', { maxConnections: 20 }, 'max_connections is 20, and 1 process may need 22'],
		['is newer than the site', { migrations: ['0001_a.sql', '9999_z.sql'] }, 'does not know 9999_z.sql'],
		['has another time', { clockMs: -90_000 }, 'The clock of the database is 90 s behind'],
	])('that %s', (_what, facts, words) => {
		const found = assessDatabase({ ...sound, ...facts }, ['0001_a.sql'], 1)
		expect(words === '' ? faults(found) : faults(found).includes(words)).toBe(words === '' ? '' : true)
	})

	test('that needs a migration is reported, and is no fault', () => {
		const found = assessDatabase(sound, ['0001_a.sql', '0002_b.sql'], 1)
		expect([faults(found), of('warning', found)]).toEqual([
			'',
			['The next start brings it to this version, by 1 migration.'],
		])
	})

	test('is queried: that of the tests is fine, except for the settings that make tests fast', async () => {
		const found = await checkDatabase(settings({ DATABASE_URL: await testDatabaseUrl() }))
		expect(faults(found).replace(/.*(fsync|full_page_writes|max_connections).*\n?/g, '')).toBe('')
		expect(of('ok', found)).toContain('The clock of the database is that of this machine.')
	})

	test.each([
		['postgres://nobody@127.0.0.1:1/none', 'Nobody listens there'],
		['postgres://nobody@host.invalid/none', 'There is no such host in DNS'],
	])('at %s cannot be used', async (DATABASE_URL, words) => {
		expect(faults(await checkDatabase(settings({ DATABASE_URL })))).toContain(words)
	})

	test('of a site that does not run is not queried', async () => {
		expect(of('warning', await checkDatabase(settings())).join()).toContain('The site does not run')
		const began = performance.now()
		expect([...(await checkBounces(settings())), ...(await checkSavedSecrets(settings()))]).toEqual([])
		expect(performance.now() - began).toBeLessThan(10_000)
	})
})

describe('mail', () => {
	/** A test mail server that requires a password and accepts mails to any address but `nobody@`. */
	const letters: string[] = []
	const mailServer = async () => {
		const server = new SMTPServer({
			disabledCommands: ['STARTTLS'],
			onAuth: ({ password }, _session, answer) =>
				password === 'right' ? answer(null, { user: 1 }) : answer(new Error('No')),
			onRcptTo: ({ address }, _session, answer) =>
				answer(address.startsWith('nobody') ? new Error('No such mailbox') : null),
			onData: (stream, _session, answer) => {
				stream.on('data', (chunk) => letters.push(String(chunk))).on('end', () => answer())
			},
		})
		servers.push(server)
		server.listen(0, '127.0.0.1')
		await once(server.server, 'listening')
		return (server.server.address() as AddressInfo).port
	}
	const MAIL_FROM = 'Quad <quad@campus.example>'
	const check = async (user: string, to?: string, from = MAIL_FROM) =>
		checkMail(settings({ SMTP_URL: `smtp://${user}@127.0.0.1:${await mailServer()}`, MAIL_FROM: from }), to)

	test('that works, and a test mail', async () => {
		const found = await check('quad:right', 'you@campus.example')
		expect([faults(found), of('ok', found).length]).toEqual(['', 2])
		expect(letters.join()).toContain('Subject: Test email from DevQuad')
	})

	test.each([
		['with a wrong password', 'quad:wrong', undefined, MAIL_FROM, 'refuses the name and password'],
		[
			'to a mailbox that is not there',
			'quad:right',
			'nobody@campus.example',
			MAIL_FROM,
			'refuses the sender (MAIL_FROM) or the recipient',
		],
		['from an address of this machine', 'quad:right', undefined, 'Quad <quad@localhost>', 'MAIL_FROM is'],
	])('%s', async (_what, user, to, from, words) => {
		expect(faults(await check(user, to, from))).toContain(words)
	})

	test.each([
		['smtp://127.0.0.1:1', 'Nobody listens|No connection'],
		['smtp://mail.invalid:25', 'not in DNS'],
	])('at %s', async (SMTP_URL, words) => {
		expect(faults(await checkMail(settings({ SMTP_URL, MAIL_FROM }), undefined))).toMatch(new RegExp(words))
	})

	test('that is not set is a fault only where others use the site', async () => {
		expect(of('warning', await checkMail(settings(), undefined)).join()).toContain('SMTP_URL is not set')
		expect(faults(await checkMail(settings({ PUBLIC_URL: 'https://quad.example' }), undefined))).toContain(
			'SMTP_URL is not set',
		)
	})
})

describe('storage, push, clocks and the address', () => {
	test('the folder can be written', async () => {
		const found = await checkStorage(settings())
		expect([faults(found), of('ok', found).length]).toEqual(['', 1])
	})

	test.each([
		[
			'a folder that is a file',
			{},
			() => writeFileSync(join(dataDir, 'media'), ''),
			'The folder media of DATA_DIR cannot be used',
		],
		[
			'a bucket where nobody listens',
			{ S3_BUCKET: 'quad', S3_ENDPOINT: 'http://127.0.0.1:1', S3_ACCESS_KEY_ID: 'a', S3_SECRET_ACCESS_KEY: 'b' },
			() => {},
			'Nobody answers at S3_ENDPOINT',
		],
		['settings of S3 without a bucket', { S3_ENDPOINT: 'http://127.0.0.1:1' }, () => {}, 'S3_BUCKET is not set'],
	])('%s', async (_what, env, breakIt, words) => {
		mkdirSync(dataDir, { recursive: true })
		breakIt()
		expect(faults(await checkStorage(settings(env)))).toContain(words)
	})

	test.each([
		['a service that nobody reaches', { PUSH_HOSTS: 'push.invalid' }, 'cannot be reached: push.invalid'],
		['a site without TLS', { PUBLIC_URL: 'http://quad.example' }, 'only allow notifications on https://'],
	])('push: %s', async (_what, env, words) => {
		expect(faults(await checkPush(settings(env)))).toContain(words)
	})

	test.each([
		[0, 'ok'],
		[-4_000, 'warning'],
		[120_000, 'fault'],
	])('a clock that is %d ms off is %s', (differenceMs, state) => {
		expect(assessClock('Clock', 'the bucket', differenceMs).state).toBe(state)
	})

	test.each([
		['a name that is not in DNS', 'ENOTFOUND', 'fault', 'quad.invalid is not in DNS'],
		['a name while DNS does not answer', 'EAI_AGAIN', 'warning', 'DNS does not say whether there is quad.invalid'],
	])('%s', async (_what, code, state, words) => {
		const lookup = () => Promise.reject(Object.assign(new Error('getaddrinfo'), { code }))
		const found = await checkAddress(settings({ PUBLIC_URL: 'https://quad.invalid' }), { lookup })
		expect(found).toEqual([{ about: 'PUBLIC_URL', state, words: expect.stringContaining(words) }])
	})

	test('an address where nothing listens', async () => {
		expect(faults(await checkAddress(settings({ PUBLIC_URL: 'http://127.0.0.1:1' })))).toContain('Nobody answers at')
	})

	test('an address where something else answers', async () => {
		const port = await listen(createServer((socket) => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello')))
		const found = await checkAddress(settings({ PUBLIC_URL: `http://127.0.0.1:${port}` }))
		expect(faults(found)).toContain('Something else than this site answers')
	})

	const claimed = '203.0.113.7'
	const proxied = {
		address: '198.51.100.1',
		origin: 'https://quad.example',
		forwarded: { for: '198.51.100.1', proto: 'https', host: 'quad.example' },
	}
	const bare = {
		address: '127.0.0.1',
		origin: 'http://quad.example',
		forwarded: { for: claimed, proto: null, host: null },
	}

	test.each([
		['a proxy that does it right', '1', proxied, ''],
		['no proxy', '0', bare, ''],
		['a site with another secret', '1', undefined, 'has another secret'],
		['a proxy that is not trusted', '0', proxied, 'TRUST_PROXY is not set'],
		['trust without a proxy', '1', bare, 'no proxy is in front'],
		[
			'a proxy that says nothing of the client',
			'1',
			{ ...proxied, forwarded: { ...proxied.forwarded, for: null } },
			'does not say who asks',
		],
		[
			'a proxy that passes claims on',
			'1',
			{ ...proxied, address: claimed, forwarded: { ...proxied.forwarded, for: claimed } },
			'passes on what a client claims',
		],
		['a proxy that does not say https', '1', { ...proxied, origin: 'http://quad.example' }, 'for http://quad.example'],
	])('%s', (_what, TRUST_PROXY, seen, words) => {
		const PUBLIC_URL = seen === bare ? 'http://quad.example' : 'https://quad.example'
		const found = assessAnswer({ status: 'ok', seen }, settings({ TRUST_PROXY, PUBLIC_URL }))
		expect(words === '' ? faults(found) : faults(found).includes(words)).toBe(words === '' ? '' : true)
	})
})

describe('secrets in the settings', () => {
	const purpose = 'site_settings campus-login clientSecret'
	const only = { isOn: 'on', onlyWay: 'on' }
	const secret = (usedFor = purpose) => ({ clientSecret: encryptSecret(usedFor, 'a client secret') })

	test.each<[string, Record<string, string>, number, Finding['state'], string]>([
		['none', { isOn: 'on' }, 0, 'ok', ''],
		['one that can be decrypted', { ...only, ...secret() }, 1, 'ok', 'can be decrypted'],
		['one of another key', { isOn: 'on', ...secret('x') }, 1, 'fault', 'saved at /admin/settings/campus-login cannot'],
		['that of the only login, of another key', { ...only, ...secret('x') }, 1, 'fault', 'CAMPUS_LOGIN_ONLY=false'],
	])('%s', async (_what, texts, count, state, words) => {
		const saved = JSON.stringify(texts)
		await sql`delete from site_settings`.execute(db())
		await sql`insert into site_settings (section, version, texts) values ('campus-login', 1, ${saved}::jsonb)`.execute(
			db(),
		)
		const found = await checkSavedSecrets(settings({ DATABASE_URL: await testDatabaseUrl() }))
		expect([found.length, of(state, found).join()]).toEqual([count, expect.stringContaining(words)])
	})
})

test('a check that throws is a fault', async () => {
	const found = await findingsOf('Disk', () => Promise.reject(new Error('no such system call')))
	expect(found).toEqual([{ about: 'Disk', state: 'fault', words: 'It could not be checked: no such system call.' }])
})
