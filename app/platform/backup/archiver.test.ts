import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, onTestFinished, test, vi } from 'vitest'
import { type EmbeddedPostgres, startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { connectAsSuperuser, isArchiving, walFolder } from '~/platform/db/wal-archiving.server.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { makeCluster } from '../../../tests/support/own-postgres.ts'
import { readArchive } from './archive.server.ts'
import { Archiver } from './archiver.server.ts'
import { archivingLag, readArchivingState, waitingSegments } from './archiving-state.server.ts'
import { makeBaseBackup } from './base-backup.server.ts'
import { findWalArchive, listBaseBackups, listSegments, type WalArchive } from './wal-archive.server.ts'

/* Archiving while its place goes away and comes back. What is restored from an archive: tests/process/continuous-archive.test.ts. */

const pictures = new Map<string, Buffer>()

vi.mock('~/platform/storage/storage.server.ts', () => ({
	storage: async () => ({
		list: async function* () {
			yield* pictures.keys()
		},
		read: async (key: string) => pictures.get(key) ?? null,
	}),
}))

const folder = mkdtempSync(join(tmpdir(), 'devquad-archiver-'))
const dataDir = join(folder, 'data')
const place = join(folder, 'place')
const settings = { place, passphrase: null, keep: 2 }
let postgres: EmbeddedPostgres

const archiver = new Archiver({
	dataDir,
	version: '0',
	makeBase: async (path) => makeBaseBackup((await findWalArchive(path)) as WalArchive, dataDir, '0'),
})

/** For tests of anything but the base backup: packing a real one takes most of their time. */
const withoutBase = new Archiver({ dataDir, version: '0', makeBase: async () => 2 })

beforeAll(async () => {
	mkdirSync(dataDir)
	mkdirSync(place)
	await makeCluster(dataDir)
	postgres = await startEmbeddedPostgres(dataDir, ['fsync=off'])
})

afterAll(async () => {
	await postgres?.stop()
	rmSync(folder, { recursive: true, force: true })
})

/** Makes PostgreSQL archive a segment. */
async function handOver(): Promise<void> {
	const client = await connectAsSuperuser(dataDir)
	try {
		await client.query('create table if not exists notes (id integer)')
		await client.query('insert into notes values (1)')
		// Not any segment: an earlier one may be handed over late.
		const { rows } = await client.query<{ name: string }>('select pg_walfile_name(pg_current_wal_insert_lsn()) as name')
		await client.query('select pg_switch_wal()')
		await eventually(async () => expect(await waitingSegments(dataDir)).toContain(rows[0]?.name))
	} finally {
		await client.end()
	}
}

/** Adds more segments than may be pending. */
function addWaiting(): void {
	for (let number = 0; number < 65; number += 1)
		writeFileSync(join(walFolder(dataDir), `0000000200000000000000${(number + 16).toString(16).toUpperCase()}`), '')
}

async function look(wanted: typeof settings | null = settings, by = archiver): Promise<void> {
	await by.look(wanted)
	await by.settle()
	// Handles the outcome of the base backup.
	await by.look(wanted)
}

const stateNow = async () => {
	const state = await readArchivingState(dataDir)
	if (!state?.folder) throw new Error('There is no archive yet.')
	return { ...state, archive: (await findWalArchive(state.folder)) as WalArchive }
}

test('segments are archived; during an outage they wait up to a limit, then are discarded, and a new base backup follows', async () => {
	await look()
	await handOver()
	await look()
	const begun = await stateNow()
	expect(begun).toMatchObject({ trouble: null, gapSince: null, needsBase: false })
	const before = (await listSegments(begun.archive)).length
	expect([(await listBaseBackups(begun.archive)).length, before > 0, await waitingSegments(dataDir)]).toEqual([
		1,
		true,
		[],
	])
	expect(await archivingLag(dataDir)).toBe(0)

	// The disk is not mounted: its mount point is an empty folder, in which no archive may be created.
	renameSync(place, `${place}.away`)
	mkdirSync(place)
	await handOver()
	await look()
	expect(readdirSync(place)).toEqual([])
	expect((await readArchivingState(dataDir))?.trouble?.words).toContain('Is its disk mounted?')
	expect(await archivingLag(dataDir)).toBeGreaterThan(0)
	expect(await waitingSegments(dataDir)).toHaveLength(1)
	addWaiting()
	await look()
	expect(await waitingSegments(dataDir)).toEqual([])
	expect((await readArchivingState(dataDir))?.gapSince).toEqual(expect.any(String))

	rmSync(place, { recursive: true })
	renameSync(`${place}.away`, place)
	await handOver()
	await look()
	const back = await stateNow()
	expect(back).toMatchObject({ trouble: null, gapSince: null, needsBase: false })
	const { archive } = back
	expect(await listBaseBackups(archive)).toHaveLength(2)
	const numbers = (await listSegments(archive)).map(({ number }) => number)
	expect(numbers.some((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1)).toBe(true)

	await look({ ...settings, keep: 1 })
	await look(null)
	expect([isArchiving(dataDir), await readArchivingState(dataDir)]).toEqual([false, null])
})

test('while the saved passphrase cannot be read, segments wait, and no archive begins without it', async () => {
	await look(settings, withoutBase)
	const { folder: known } = await stateNow()
	const places = readdirSync(place)
	await handOver()
	const next = new Archiver({ dataDir, version: '0', makeBase: async () => 1 })
	await next.look({ ...settings, keep: 1 }, 'The saved passphrase cannot be read.')
	expect(readdirSync(place)).toEqual(places)
	expect(await waitingSegments(dataDir)).not.toEqual([])
	expect(await stateNow()).toMatchObject({
		folder: known,
		trouble: { words: 'The saved passphrase cannot be read.' },
	})
	await look(settings, withoutBase)
	expect(await stateNow()).toMatchObject({ folder: known, trouble: null })
})

/** An archiver whose base backup is complete when the returned function is called. */
function slowArchiver(): { slow: Archiver; complete: (bytes: number) => void } {
	const { promise, resolve } = Promise.withResolvers<number>()
	return { slow: new Archiver({ dataDir, version: '0', makeBase: () => promise }), complete: resolve }
}

test('a base backup that a gap requires is made by the next process when one is killed while making it', async () => {
	await look(settings, withoutBase)
	const before = (await stateNow()).base?.at
	// Neither complete nor the next segment.
	writeFileSync(join(walFolder(dataDir), '0000000100000000000000FF'), '')
	await slowArchiver().slow.look(settings)
	expect(await stateNow()).toMatchObject({ gapSince: expect.any(String) })

	const next = new Archiver({ dataDir, version: '0', makeBase: async () => 1 })
	await next.look(settings)
	await next.settle()
	await next.look(settings)
	const after = await stateNow()
	expect(after).toMatchObject({ gapSince: null, needsBase: false, base: { bytes: 1 } })
	expect(after.base?.at).not.toBe(before)
	await next.look(null)
})

test('archiving can be turned off and on again during a base backup', async () => {
	const { slow, complete } = slowArchiver()
	await slow.look(settings)
	await slow.look(null)
	complete(1)
	await slow.settle()
	expect(await readArchivingState(dataDir)).toBeNull()
	await slow.look(settings)
	await slow.settle()
	await slow.look(settings)
	expect(await stateNow()).toMatchObject({ needsBase: false, base: { bytes: 1 } })
	await slow.look(null)
})

test('a base backup of a killed process neither replaces nor damages the next one', async () => {
	await look()
	// A round on leftovers of earlier tests may have begun another one.
	await archiver.settle()
	const { archive } = await stateNow()
	const before = (await listBaseBackups(archive)).length
	const made = await Promise.allSettled([makeBaseBackup(archive, dataDir, '0'), makeBaseBackup(archive, dataDir, '0')])
	const stand = made.filter(({ status }) => status === 'fulfilled').length
	expect(stand).toBeGreaterThan(0)
	const bases = await listBaseBackups(archive)
	// Both have the same name where they began and ended in the same second.
	expect([before + 1, before + stand]).toContain(bases.length)
	for (const { file } of bases) {
		let count = 0
		for await (const _ of readArchive(file, null)) count += 1
		expect(count).toBeGreaterThan(100)
	}
	await look(null)
})

test('while a network disk hangs, pending segments are discarded at the limit', async () => {
	await look(settings, withoutBase)
	const { archive } = await stateNow()
	const file = join(archive.folder, 'archive.json')
	const contents = await readFile(file)
	rmSync(file)
	// Reading it blocks, as on a disk whose server does not answer.
	execFileSync('mkfifo', [file])
	await handOver()
	addWaiting()
	const options = { dataDir, version: '0', makeBase: async () => 1, patienceMs: 100 }
	const next = new Archiver(options)
	await next.look(settings)
	await next.look(settings)
	expect(await waitingSegments(dataDir)).toEqual([])
	expect(await readArchivingState(dataDir)).toMatchObject({
		gapSince: expect.any(String),
		trouble: { words: `${place} does not answer.` },
	})

	options.patienceMs = 60_000
	await writeFile(file, contents)
	rmSync(file)
	writeFileSync(file, contents)
	await handOver()
	await eventually(async () => {
		await next.look(settings)
		await next.settle()
		expect(await stateNow()).toMatchObject({ trouble: null, gapSince: null })
	})
	await next.look(null)
})

test('the first copies of many pictures block nothing else', async () => {
	await look()
	const { archive } = await stateNow()
	pictures.set('one.webp', Buffer.from('a picture'))
	const written = join(archive.folder, 'media/one.webp.partial')
	execFileSync('mkfifo', [written])
	// Otherwise the copies of the next tests would wait for a reader, too.
	onTestFinished(() => {
		pictures.clear()
		rmSync(written, { force: true })
	})
	const next = new Archiver({ dataDir, version: '0', makeBase: async () => 1 })
	await next.look(settings)
	await handOver()
	await next.look(settings)
	expect(await waitingSegments(dataDir)).toEqual([])
	expect(String(await readFile(written))).toBe('a picture')
	await next.settle()
	await next.look(null)
})

test('after the clock was set back by a day, new pictures are copied as before', async () => {
	vi.useFakeTimers({ toFake: ['Date', 'performance'] })
	onTestFinished(() => void vi.useRealTimers())
	const next = new Archiver({ dataDir, version: '0', makeBase: async () => 1 })
	const lookOnce = async () => {
		await next.look(settings)
		await next.settle()
	}
	await lookOnce()
	pictures.set('later.webp', Buffer.from('a picture'))
	vi.advanceTimersByTime(25_000)
	vi.setSystemTime(Date.now() - 86_400_000)
	await lookOnce()
	const { archive } = await stateNow()
	expect(existsSync(join(archive.folder, 'media/later.webp'))).toBe(true)
	pictures.clear()
	await next.look(null)
})

test('after a base backup that was made while the clock was a year ahead, the next one is made', async () => {
	vi.useFakeTimers({ toFake: ['Date'] })
	onTestFinished(() => void vi.useRealTimers())
	const now = Date.now()
	let made = 0
	const next = new Archiver({ dataDir, version: '0', makeBase: async () => ++made })
	vi.setSystemTime(now + 365 * 86_400_000)
	await next.look(settings)
	await next.settle()
	vi.setSystemTime(now)
	await next.look(settings)
	await next.settle()
	expect(made).toBe(2)
	await next.look(null)
})

test('an old part that cannot be removed is named as such, and removed ten minutes after it can be', async () => {
	vi.useFakeTimers({ toFake: ['performance'] })
	onTestFinished(() => void vi.useRealTimers())
	let made = 0
	const next = new Archiver({
		dataDir,
		version: '0',
		makeBase: async (path) => {
			const old = (day: string) =>
				join(path, `bases/2020-01-0${day}T00-00-00Z-${'0'.repeat(24)}-${'0'.repeat(24)}.tar.zst`)
			mkdirSync(old('1'))
			for (const day of ['2', '3', '4']) writeFileSync(old(day), '')
			return ++made
		},
	})
	const lookOnce = async () => {
		await next.look(settings)
		await next.settle()
		await next.look(settings)
		return await stateNow()
	}
	await lookOnce()
	// PostgreSQL may have failed to hand over a segment while an earlier test turned archiving off.
	await handOver()
	vi.advanceTimersByTime(31_000)
	const { trouble, archive } = await lookOnce()
	expect(trouble?.words).toMatch(/^The oldest part of the archive could not be removed: /)
	for (const name of readdirSync(join(archive.folder, 'bases')).filter((name) => name.startsWith('2020-01-01')))
		rmSync(join(archive.folder, 'bases', name), { recursive: true })
	vi.advanceTimersByTime(11 * 60_000)
	expect((await lookOnce()).trouble).toBeNull()
	expect(made).toBe(1)
	await next.look(null)
})

test('an earlier copy of the data directory begins an archive of its own, however late the place is mounted', async () => {
	await look()
	const later = (await stateNow()).folder
	const copy = `${dataDir}.copy`
	await postgres.stop()
	execFileSync('cp', ['-a', dataDir, copy])
	postgres = await startEmbeddedPostgres(dataDir, ['fsync=off'])
	await handOver()
	await look()
	await postgres.stop()
	rmSync(dataDir, { recursive: true })
	renameSync(copy, dataDir)
	postgres = await startEmbeddedPostgres(dataDir, ['fsync=off'])
	const next = new Archiver({ dataDir, version: '0', makeBase: async () => 1 })
	renameSync(place, `${place}.away`)
	await next.look(settings)
	await handOver()
	renameSync(`${place}.away`, place)
	await next.look(settings)
	await next.settle()
	expect((await stateNow()).folder).not.toBe(later)
	await next.look(null)
})
