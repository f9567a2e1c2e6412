import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type IncomingMessage, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join, relative } from 'node:path'
import { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { sql } from 'kysely'
import S3rver from 's3rver'
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { config } from '~/config.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { writeArchive } from '~/platform/backup/archive.server.ts'
import { markRestored } from '~/platform/backup/restore-mark.queries.server.ts'
import { db, pool } from '~/platform/db/db.server.ts'
import { readMetrics, startMetrics } from '~/platform/metrics/metrics.server.ts'
import { announceSettings, siteSettings } from '~/platform/settings/settings.server.ts'
import { makeMember } from '../../../tests/factories/forum.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { testDatabaseUrl } from '../../../tests/support/members-site.ts'
import { getSection, saveSection } from '../site-settings/site-settings.server.ts'
import { backUpWhenDue, backupSection, getBackupStatus, isBackupDue, obstacleToBackups } from './backups.server.ts'
import { openBucket } from './bucket.server.ts'
import { runScript } from './run-script.server.ts'
import { confirmRestore, readBackups, requestBackup } from './runs.server.ts'
import '../index.server.ts'

/* The settings of backups, and real backups made by them, each restored once. */

useDatabase()

const folder = mkdtempSync(join(tmpdir(), 'devquad-backups-'))
const target = join(folder, 'target')
const server = new S3rver({
	port: 0,
	silent: true,
	directory: join(folder, 's3'),
	configureBuckets: [{ name: 'quad' }],
})
let admin: SignedIn
let endpoint = ''

const defaults = { isOn: 'on', hour: '0', keep: '2', archiveKeep: '7', region: 'us-east-1', folder: target }
/** Secrets are sent under field names of their own. */
const inBucket = () => ({
	bucket: 'quad',
	endpoint,
	accessKeyId: 'S3RVER',
	'password-secretAccessKey': 'S3RVER',
	'password-passphrase': 'a lantern at the ford',
})

async function save(input: Record<string, string>): Promise<void> {
	const version = String((await getSection(admin, 'backups')).version)
	await saveSection(admin, 'backups', { ...defaults, ...input, version })
}

const runs = async () => {
	const { rows } = await sql<{ file: string | null; bytes: string | null; error: string | null }>`
		select file, bytes, error from backups order by id`.execute(db())
	return rows
}
/** Makes the last run a day old. */
const makeDue = () => sql`update backups set started_at = started_at - '25 h'::interval, made_at = null`.execute(db())

/** A proxy in front of the bucket until the test has finished. @param isRefused whether it refuses this, with the status @returns its address */
async function startRefusing(isRefused: (request: IncomingMessage) => boolean, status = 403): Promise<string> {
	const refusal = '<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>'
	const proxy = createServer((request, response) => {
		if (isRefused(request)) return response.writeHead(status).end(refusal)
		const { method, headers, url } = request
		const there = send(`${endpoint}${url}`, { method, headers }, (answer) => {
			response.writeHead(answer.statusCode ?? 500, answer.headers)
			answer.pipe(response)
		})
		there.on('error', () => response.destroy())
		request.pipe(there)
	}).listen(0, '127.0.0.1')
	onTestFinished(() => void proxy.close())
	await once(proxy, 'listening')
	return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

beforeAll(async () => {
	mkdirSync(target)
	endpoint = `http://localhost:${(await server.run()).port}`
	admin = await makeMember('admin', 'admin')
	// For the child process that makes the backup.
	vi.stubEnv('DATABASE_URL', await testDatabaseUrl())
	vi.stubEnv('DATA_DIR', join(folder, 'data'))
	vi.stubEnv('LOG_LEVEL', 'silent')
	vi.stubEnv('NODE_ENV', 'production')
})

beforeEach(async () => {
	await sql`delete from backups`.execute(db())
	await sql`delete from graphile_worker._private_jobs`.execute(db())
	await sql`delete from site_setting_changes`.execute(db())
	await sql`delete from site_settings`.execute(db())
	await sql`delete from rate_limits`.execute(db())
	await announceSettings()
})

afterAll(async () => {
	vi.unstubAllEnvs()
	// Only still open if the test failed.
	await server.close().catch(() => {})
	rmSync(folder, { recursive: true, force: true })
})

describe('when a backup is due', () => {
	const at = (time: string) => new Date(`2026-03-10T${time}:00Z`)
	test.each([
		['there is none yet', '12:00', null, true],
		['it was made today', '12:00', '03:05', false],
		['it was made before the hour of today', '12:00', '02:50', true],
		['the hour of today has not come, and it was made yesterday', '02:00', '2026-03-09T03:10', false],
		['the hour of today has not come, and yesterday there was none', '02:00', '2026-03-08T03:10', true],
	])('%s', (_what, now, last, due) => {
		const date = last === null ? null : last.includes('T') ? new Date(`${last}:00Z`) : at(last)
		expect(isBackupDue(at(now), 3, date)).toBe(due)
	})
})

describe('validation of the settings', () => {
	test.each([
		['a folder that is not named whole', { folder: 'backups' }, 'folder', 'starting with a slash'],
		['a folder below a file', { folder: '/dev/null/backups' }, 'folder', 'cannot write there'],
		// Node's recursive mkdir would try for ever.
		['a folder that the system does not allow', { folder: '/proc/backups' }, 'folder', 'cannot write there'],
		['a short passphrase', { 'password-passphrase': 'short' }, 'passphrase', 'At least|at least 12'],
		['a bucket without a passphrase', { bucket: 'quad' }, 'passphrase', 'someone else'],
		['a bucket that is not there', { bucket: 'elsewhere' }, 'bucket', 'cannot be used'],
		['an archive without a folder', { isContinuous: 'on', folder: '' }, 'archiveFolder', 'another disk'],
		['an archive below a file', { isContinuous: 'on', archiveFolder: '/dev/null/x' }, 'archiveFolder', 'cannot write'],
		['an hour that no day has', { hour: '24' }, 'hour', 'from 0 to 23'],
	])('%s is refused', async (_what, input, field, words) => {
		const rest = field === 'bucket' ? inBucket() : {}
		await expect(save({ ...rest, ...input })).rejects.toMatchObject({
			fields: { [field]: expect.stringMatching(new RegExp(words)) },
		})
	})

	test.each([
		['list', /list-type/, 'GET', /cannot be listed.*Access Denied/],
		['read, not even to learn whether they are whole,', /./, 'HEAD', /What arrived there cannot be read/],
	])('a bucket whose files the key may not %s is refused', async (_what, url, method, words) => {
		const refusing = await startRefusing((request) => request.method === method && url.test(request.url ?? ''))
		await expect(save({ ...inBucket(), endpoint: refusing })).rejects.toMatchObject({
			fields: { bucket: expect.stringMatching(words) },
		})
	})

	test('a destination is tested without leaving files there, and secrets are not shown', async () => {
		await save({})
		await save(inBucket())
		expect(readdirSync(target)).toEqual([])
		expect(JSON.stringify(await getSection(admin, 'backups'))).not.toContain('a lantern at the ford')
	})
})

test('makes no backups while they are off', async () => {
	await save({ isOn: '' })
	await backUpWhenDue()
	expect(await runs()).toEqual([])
})

test('metrics tell for how long there has been no backup, also where none has ever succeeded', async () => {
	config().METRICS_TOKEN = 'a token that Prometheus knows'
	await startMetrics()
	const ages = async () => {
		const all = (await readMetrics()) as { name: string; values: { value: number }[] }[]
		const { values } = all.find(({ name }) => name === 'devquad_backup_age_seconds') ?? { values: [] }
		return values.map(({ value }) => Math.round(value / 86_400))
	}
	expect(await ages()).toEqual([])
	await save({})
	await sql`update site_setting_changes set at = now() - interval '3 days'`.execute(db())
	await sql`insert into backups (started_at, ended_at, error) values (now(), now(), 'No space left.')`.execute(db())
	// What does not turn them on.
	await save({ keep: '3' })
	expect(await ages()).toEqual([3])
	await sql`insert into backups (started_at, ended_at, file) values (now() - interval '1 day', now(), 'x')`.execute(
		db(),
	)
	expect(await ages()).toEqual([1])
	await sql`delete from backups`.execute(db())
	await save({ isOn: '' })
	expect(await ages()).toEqual([])
})

test('of two processes one makes a backup; once it is killed, the next makes, tests and records it, no second one on that day, and deletes the oldest beyond the limit', async () => {
	await save({ keep: '1' })
	await sql`select graphile_worker.add_job('back-up') from generate_series(1, 2)`.execute(db())
	await sql`update graphile_worker._private_jobs set locked_at = now(), locked_by = 'worker'`.execute(db())
	await sql`insert into backups default values`.execute(db())
	await backUpWhenDue()
	expect(await runs()).toHaveLength(1)
	// The process of one was killed, so that its job is no longer locked.
	await sql`update graphile_worker._private_jobs set locked_at = null, locked_by = null
		where id = (select max(id) from graphile_worker._private_jobs)`.execute(db())
	writeFileSync(join(target, 'devquad-2020-01-01T00-00-00Z.tar.zst'), 'an old one')
	writeFileSync(join(target, 'notes.txt'), '')
	// Of a day on which the clock of the server was wrong.
	writeFileSync(join(target, 'devquad-2099-01-01T00-00-00Z.tar.zst'), 'one of the future')
	await sql`insert into backups (started_at, ended_at, file) values ('2099-01-01', '2099-01-01', 'x')`.execute(db())
	await backUpWhenDue()
	const [killed, , run] = await runs()
	expect(killed?.error).not.toBeNull()
	expect(run).toMatchObject({ file: expect.stringMatching(/devquad-.*\.tar\.zst$/), error: null })
	expect(Number(run?.bytes)).toBeGreaterThan(10_000)
	const names = () => readdirSync(target).sort()
	expect(names()).toEqual([run?.file?.split('/').at(-1), 'notes.txt'])
	await backUpWhenDue()
	expect(await runs()).toHaveLength(3)
})

test.each([
	['a new folder, where backups are counted', 'new', ['--keep', '2'], /^new\/devquad-.*\.tar\.zst$/],
	['a new folder that is named as one', 'other/', [], /^other\/devquad-.*\.tar\.zst$/],
	['a file', 'file.zst', [], /^file\.zst$/],
])('the command writes to %s', async (_what, to, options, wanted) => {
	const args = ['--to', `${target}/${to}`, '--no-verify', '--json', ...options]
	const { file } = (await runScript('scripts/backup.ts', args)) as { file: string }
	expect(relative(target, file)).toMatch(wanted)
	expect(statSync(file).isFile()).toBe(true)
})

test.each(['SIGINT', 'SIGTERM'] as const)(
	'%s ends the command while it works, and nothing of the site is left',
	async (signal) => {
		const place = mkdtempSync(join(folder, 'stopped-'))
		const args = ['--import', './scripts/support/alias.mjs', 'scripts/backup.ts', '--to', place]
		const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
		const [ended, told] = [once(child, 'exit'), text(child.stderr)]
		try {
			await eventually(() => expect(readdirSync(place)).toContainEqual(expect.stringMatching(/\.partial$/)))
		} finally {
			child.kill(signal)
		}
		expect(await ended).toEqual([1, null])
		const words = await told
		expect(words).toBe('Stopped, so there is no backup.\n')
		expect(readdirSync(place)).toEqual([])
	},
)

test('says why a backup could not be restored', async () => {
	await save({})
	await sql`create table notes_of_the_operator (note text)`.execute(db())
	try {
		await expect(backUpWhenDue()).rejects.toThrow('notes_of_the_operator')
		expect((await runs()).map(({ error }) => error)).toEqual([
			'The backup could not be restored, so it was not kept: relation "public.notes_of_the_operator" does not exist',
		])
	} finally {
		await sql`drop table notes_of_the_operator`.execute(db())
	}
})

test('with a saved passphrase that cannot be read, no backup is made without it', async () => {
	await save({ 'password-passphrase': 'a lantern at the ford' })
	// As after AUTH_SECRET has changed.
	await sql`update site_settings set texts = jsonb_set(texts, '{passphrase}', '"v1.AAAA"'), version = version + 1`.execute(
		db(),
	)
	await announceSettings()
	await expect(backUpWhenDue()).rejects.toThrow('The saved passphrase cannot be read')
	expect(await runs()).toMatchObject([{ file: null, error: expect.stringContaining('Save it again') }])
	await save({ 'password-passphrase': 'a lantern at the ford' })
	expect(obstacleToBackups()).toBeNull()
})

test('a backup without encryption that waits for its upload is not uploaded once there is a passphrase', async () => {
	await save(inBucket())
	const outgoing = join(config().dataDir, 'backups', 'outgoing')
	mkdirSync(outgoing, { recursive: true })
	const waiting = join(outgoing, `devquad-${new Date().toISOString().slice(0, 10)}T00-00-01Z.tar.zst`)
	await writeArchive(waiting, null, Readable.from([{ name: 'backup.json', contents: Buffer.from('{}') }]))
	await backUpWhenDue()
	const [run] = await runs()
	expect(run?.file).toMatch(/\.age$/)
	await (await openBucket(siteSettings(backupSection))).remove(basename(run?.file ?? ''))
})

test('encrypts a backup in a bucket, leaves no local file, reports a failure, and uploads it at the next attempt', async () => {
	let [mayRemove, mayUpload] = [true, true]
	const proxied = await startRefusing(
		({ method }) => (method === 'DELETE' && !mayRemove) || (/^(POST|PUT)$/.test(method ?? '') && !mayUpload),
	)
	await save({ ...inBucket(), keep: '1', endpoint: proxied })
	await (await openBucket(siteSettings(backupSection))).write('devquad-2020-01-01T00-00-00Z.tar.zst.age', 'an old one')
	// As a process leaves it that is killed before the upload has ended.
	const outgoing = join(config().dataDir, 'backups', 'outgoing')
	mkdirSync(outgoing, { recursive: true })
	writeFileSync(join(outgoing, 'devquad-2020-01-01T00-00-00Z.tar.zst.age'), 'not uploaded')
	// From now on the key may remove nothing. What is made counts, and no other one is made in the next hour.
	mayRemove = false
	await expect(backUpWhenDue()).rejects.toThrow('older ones could not be removed')
	await backUpWhenDue()
	expect(readdirSync(outgoing)).toEqual([])
	expect((await readBackups(admin)).runs).toMatchObject([
		{ state: 'stands', trouble: expect.stringContaining('Access Denied') },
	])
	expect(await getBackupStatus()).toMatchObject({
		state: 'open',
		words: expect.stringMatching(/^The last one was made, but/),
	})
	expect(await runs()).toMatchObject([
		{ file: expect.stringMatching(/^quad\/devquad-.*\.tar\.zst\.age$/), error: null },
	])
	await makeDue()
	writeFileSync(join(outgoing, 'devquad-2020-01-02T00-00-00Z.tar.zst.age'), 'not uploaded')
	mayUpload = false
	await expect(backUpWhenDue()).rejects.toThrow('The backup failed')
	const [waiting, ...others] = readdirSync(outgoing)
	expect(others).toEqual([])
	expect((await runs())[1]).toMatchObject({
		file: null,
		error: expect.stringMatching(/^It was made, but could not be uploaded: .*Access Denied.*outgoing\/devquad-/),
	})
	mayRemove = true
	mayUpload = true
	// A copy that was restored for a trial removes nothing of the original.
	await markRestored(pool())
	await backUpWhenDue()
	expect((await runs())[2]).toMatchObject({ file: `quad/${waiting}`, error: null })
	// Above the failed run that made it.
	expect((await readBackups(admin)).runs[0]).toMatchObject({ file: `quad/${waiting}` })
	expect(readdirSync(outgoing)).toEqual([])
	expect(await (await openBucket(siteSettings(backupSection))).list()).toHaveLength(3)
	expect((await readBackups(admin)).restoredAt).not.toBeNull()
	expect(await getBackupStatus()).toMatchObject({ state: 'open', words: expect.stringContaining('until you confirm') })
	await expect(confirmRestore(await makeMember('helper', 'moderator'))).rejects.toThrow('Only admins')
	await confirmRestore(admin)
	const logged = await sql`select act from moderation_log where act = 'confirm the restore'`.execute(db())
	expect(logged.rows).toHaveLength(1)
	expect((await readBackups(admin)).restoredAt).toBeNull()
	await makeDue()
	await backUpWhenDue()
	expect(await (await openBucket(siteSettings(backupSection))).list()).toHaveLength(1)
})

test('a file is uploaded in parts, each of which is tried again', async () => {
	const failed: string[] = []
	const unstable = await startRefusing(({ url = '' }) => url.includes('partNumber=2') && failed.push(url) === 1, 503)
	const keys = { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }
	const bucket = await openBucket({ ...keys, bucket: 'quad', endpoint: unstable, region: '' }, 5 * 2 ** 20)
	const file = join(folder, 'large')
	writeFileSync(file, randomBytes(11 * 2 ** 20))
	await bucket.send('large', file)
	expect(failed).toHaveLength(2)
	const sent = await fetch(`${endpoint}/quad/large`)
	expect(readFileSync(file).equals(Buffer.from(await sent.arrayBuffer()))).toBe(true)
	await bucket.remove('large')
})

test('an admin sees when the newest backup was made, however many have failed since', async () => {
	await sql`
		insert into backups (started_at, ended_at, file) values ('2026-03-10T03:00:00Z', '2026-03-10T03:01:00Z', '/var/backups/one')`.execute(
		db(),
	)
	await sql`
		insert into backups (started_at, ended_at, error)
		select at, at, 'The disk is full' from generate_series('2026-03-11T03:00:00Z'::timestamptz, '2026-03-12T12:00:00Z', '1 hour') at`.execute(
		db(),
	)
	const { newest, runs: shown } = await readBackups(admin)
	expect([newest, new Set(shown.map(({ state }) => state))]).toEqual(['2026-03-10T03:00:00.000Z', new Set(['failed'])])
})

test('an admin sees the last backups, and can start one unless one is running', async () => {
	await sql`
		insert into backups (started_at, ended_at, file, bytes, error) values
			(now() - interval '2 days', now() - interval '2 days' + interval '8 s', '/var/backups/one', 24300000, null),
			(now() - interval '1 day', now() - interval '1 day' + interval '3 s', null, null, 'The disk is full')`.execute(
		db(),
	)
	const { runs: shown, isScheduled } = await readBackups(admin)
	expect(isScheduled).toBe(false)
	expect(shown.map(({ state, seconds, bytes, error }) => [state, seconds, bytes, error])).toEqual([
		['failed', 3, null, 'The disk is full'],
		['stands', 8, 24_300_000, null],
	])
	// Of a process that was ended in its midst.
	await sql`insert into backups default values`.execute(db())
	await requestBackup(admin)
	await expect(requestBackup(admin)).rejects.toThrow('already running')
	const { rows } = await sql`select act from moderation_log where act = 'back up'`.execute(db())
	expect(rows).toHaveLength(1)
	const member = await makeMember('member', 'member')
	await expect(requestBackup(member)).rejects.toThrow('Only admins')
	await expect(readBackups(member)).rejects.toThrow('Only admins')
})
