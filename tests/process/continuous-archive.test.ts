import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readFileSync,
	renameSync,
	rmSync,
	writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { Encrypter } from 'age-encryption'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { readArchivingState } from '~/platform/backup/archiving-state.server.ts'
import { passphraseRecipient } from '~/platform/backup/passphrase.server.ts'
import { restoreArchive } from '~/platform/backup/restore-archive.server.ts'
import { archiveIdentity, findWalArchive, type WalArchive } from '~/platform/backup/wal-archive.server.ts'
import { startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { findServer } from '~/platform/db/postgres-process.server.ts'
import { picture } from '../factories/pictures.ts'
import { descendants, signalAll } from '../support/cluster.ts'
import { logInDemoMember } from '../support/demo-member.ts'
import { eventually } from '../support/eventually.ts'
import { CHILD_ENV, type SiteProcess, siteDatabase, startFirst, startSite } from '../support/site-process.ts'

/*
 * A site archives continuously, is written to, and destroyed with its disk; then restored to its end and to an earlier time:
 * docs/self-hosting.md, “To the minute”.
 */

const folder = mkdtempSync(join(tmpdir(), 'devquad-archive-'))
const oldData = join(folder, 'old')
const place = join(folder, 'place')
const passphrase = 'four words on paper'
const site = { now: undefined as SiteProcess | undefined }
/** Seconds after which PostgreSQL archives a segment; 40 by default. */
const HAND_OVER = 2
let moment = ''
let killedAt = 0
let pictureUrl = ''

afterAll(async () => {
	await site.now?.stop()
	rmSync(folder, { recursive: true, force: true })
})

/** @param signal sent while PostgreSQL starts or replays */
async function restore(args: string[], dataDir: string, signal?: NodeJS.Signals) {
	const password = join(dataDir, 'postgres-admin-password')
	if (signal) rmSync(password, { force: true })
	const child = spawn(process.execPath, ['--import', './scripts/support/alias.mjs', 'scripts/restore.ts', ...args], {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...CHILD_ENV, TZ: 'UTC', BACKUP_PASSPHRASE: passphrase, DATA_DIR: dataDir },
	})
	let output = ''
	for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
	if (signal) {
		await eventually(() => expect(existsSync(password)).toBe(true))
		child.kill(signal)
	}
	const [code] = (await once(child, 'exit')) as [number | null]
	return { code, output }
}

async function withDatabase<Result>(dataDir: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
	const client = new pg.Client(siteDatabase(dataDir, 'devquad_admin'))
	await client.connect()
	try {
		return await work(client)
	} finally {
		await client.end()
	}
}

/** The times at which rows were written, in order. */
const marksOf = (dataDir: string) =>
	withDatabase(dataDir, async (client) => {
		const { rows } = await client.query<{ id: number; at: Date }>('select id, at from marks order by id')
		return rows
	})

const archived = () => {
	const [name = ''] = readdirSync(place)
	const list = (part: string) => (existsSync(join(place, name, part)) ? readdirSync(join(place, name, part)) : [])
	// The site may be killed while it writes a part, which is then no part of the archive.
	const wal = list('wal').filter((file) => !file.endsWith('.partial'))
	return { folder: join(place, name), bases: list('bases').filter((file) => /^\d/.test(file)), wal: wal.sort() }
}

beforeAll(async () => {
	mkdirSync(place)
	const first = await startSite({ DATA_DIR: oldData })
	site.now = first
	await withDatabase(oldData, async (client) => {
		await client.query(`update users set role = 'admin' where username = 'mira.quillon'`)
		await client.query(
			'create table marks (id integer generated always as identity, at timestamptz default clock_timestamp())',
		)
	})
	const Cookie = await logInDemoMember(first.url, oldData)
	const post = (path: string, body: BodyInit) =>
		fetch(first.url + path, { method: 'POST', redirect: 'manual', headers: { Origin: first.url, Cookie }, body })
	const form = new FormData()
	form.set('kind', 'profile')
	form.set('file', new Blob([Uint8Array.from(await picture('png'))]))
	const uploaded = (await (await post('/media', form)).json()) as { picture: { path: string } }
	pictureUrl = `/media/${uploaded.picture.path}-224.webp`
	const saved = await post(
		'/admin/settings/backups',
		new URLSearchParams({
			intent: 'save',
			version: '1',
			hour: '3',
			keep: '14',
			region: 'us-east-1',
			isContinuous: 'on',
			archiveFolder: place,
			archiveKeep: '2',
			'password-passphrase': passphrase,
		}),
	)
	expect(saved.status).toBe(303)
	await eventually(async () => {
		const trouble = (await readArchivingState(oldData))?.trouble
		expect(archived().bases.length, trouble?.words ?? 'the base backup is not complete').toBeGreaterThan(0)
	}, 120_000)
	await withDatabase(oldData, async (client) => {
		await client.query(`alter system set archive_timeout = ${HAND_OVER}`)
		await client.query('select pg_reload_conf()')
		const write = async (count: number) => {
			for (let written = 0; written < count; written += 1) {
				await client.query('insert into marks default values')
				await sleep(100)
			}
		}
		await write(20)
		await sleep(1_100)
		moment = new Date().toISOString()
		await sleep(1_100)
		await write(60)
	})
	const all = [...descendants(first.child.pid ?? 0).map(({ pid }) => pid), ...postgresOf(oldData)]
	signalAll(all, 'SIGKILL')
	killedAt = Date.now()
	first.child.kill('SIGKILL')
	site.now = undefined
	rmSync(oldData, { recursive: true, force: true, maxRetries: 10 })
	await makeKeyCheap()
})

/** Decrypts the archive's key once, and encrypts it at a low cost: each restore below would take a second of processor time for it. */
async function makeKeyCheap(): Promise<void> {
	const { folder: archive } = archived()
	const identity = await archiveIdentity((await findWalArchive(archive)) as WalArchive, passphrase)
	const encrypter = new Encrypter()
	encrypter.addRecipient(passphraseRecipient(passphrase, 8))
	writeFileSync(join(archive, 'key.age'), await encrypter.encrypt(`${identity}\n`))
}

/** PostgreSQL survives the site, as it is not its child. */
function postgresOf(dataDir: string): number[] {
	const leader = Number.parseInt(readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8'), 10)
	return descendants(leader).map(({ pid }) => pid)
}

test('after PostgreSQL and its disk are lost, all but the last seconds is restored, with pictures and keys', async () => {
	const newData = join(folder, 'new')
	expect(await restore([place], newData, 'SIGKILL')).toMatchObject({ code: null })
	expect(await restore([place], newData, 'SIGINT')).toMatchObject({
		code: 1,
		output: expect.stringContaining('Stopped, so nothing was restored.'),
	})
	expect(findServer(join(newData, 'postgres'))).toEqual({ state: 'absent' })
	expect(await restore([place], newData)).toMatchObject({
		code: 0,
		output: expect.stringContaining('Restored the site as it was at'),
	})
	const again = restoreArchive({ folder: place, to: null, passphrase, dataDir: newData })
	await expect(again).rejects.toThrow('has a database already')
	const second = await startFirst({ DATA_DIR: newData })
	site.now = second
	const marks = await marksOf(newData)
	expect(marks.map(({ id }) => id)).toEqual(marks.map((_, index) => index + 1))
	const lost = (killedAt - (marks.at(-1)?.at.getTime() ?? 0)) / 1_000
	// The archive interval, and two checks.
	expect(lost).toBeLessThan(HAND_OVER + 4)
	expect((await fetch(second.url + pictureUrl)).status).toBe(200)
	// The restored site starts a new archive, and leaves the lost site's unchanged.
	await expect.poll(() => readdirSync(place).length, { timeout: 30_000 }).toBe(2)
	await second.stop()
	site.now = undefined
	for (const name of readdirSync(place).sort().slice(1)) rmSync(join(place, name), { recursive: true })
})

test('restoring to a time yields what was there before, and nothing later', async () => {
	const dataDir = join(folder, 'moment')
	mkdirSync(dataDir)
	await restoreArchive({ folder: place, to: new Date(moment), passphrase, dataDir })
	const postgres = await startEmbeddedPostgres(dataDir)
	try {
		expect(await marksOf(dataDir)).toHaveLength(20)
	} finally {
		await postgres.stop()
	}
})

describe('errors in one sentence', () => {
	const dataDir = join(folder, 'refused')
	const refused = async (words: string, input: { folder?: string; to?: Date; passphrase?: string | null } = {}) => {
		mkdirSync(dataDir, { recursive: true })
		const asked = restoreArchive({ folder: place, to: null, passphrase, dataDir, ...input })
		await expect(asked).rejects.toThrow(words)
		expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
	}

	test('no archive, no passphrase, and a time outside the archive', async () => {
		await refused('is not a continuous archive', { folder })
		await refused('The archive begins at', { to: new Date('2020-01-01T10:00Z') })
		await refused('The archive ends at', { to: new Date('2999-01-01T10:00Z') })
		await refused('is encrypted. Set BACKUP_PASSPHRASE to its passphrase', { passphrase: null })
		await refused('The passphrase is not that of', { passphrase: 'another passphrase' })
	})

	test('a missing part, and a damaged one', async () => {
		const { folder: archive, wal } = archived()
		const file = join(archive, 'wal', wal.at(-2) ?? '')
		renameSync(file, join(folder, 'kept'))
		await refused('A part of the archive is missing. Choose a moment up to')
		writeFileSync(file, readFileSync(join(folder, 'kept')).subarray(0, 200))
		await refused('is damaged or cannot be read')
	})
})
