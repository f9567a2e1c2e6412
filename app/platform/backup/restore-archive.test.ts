import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { walFolder } from '~/platform/db/wal-archiving.server.ts'
import { makeCluster } from '../../../tests/support/own-postgres.ts'
import { Archiver } from './archiver.server.ts'
import { makeBaseBackup } from './base-backup.server.ts'
import { planRestore, restoreArchive } from './restore-archive.server.ts'
import { findWalArchive, type WalArchive } from './wal-archive.server.ts'

/* A restore of an archive that fails or is killed. What is restored: tests/process/continuous-archive.test.ts. */

const folder = mkdtempSync(join(tmpdir(), 'devquad-restore-'))
const place = join(folder, 'place')

const archivedData = join(folder, 'data')
const settings = { place, passphrase: null, keep: 1 }

const makeArchiver = () =>
	new Archiver({
		dataDir: archivedData,
		version: '0',
		makeBase: async (path) => {
			mkdirSync(join(path, 'media/ab'))
			writeFileSync(join(path, 'media/ab/one.webp'), 'a picture')
			return makeBaseBackup((await findWalArchive(path)) as WalArchive, archivedData, '0')
		},
	})

beforeAll(async () => {
	const dataDir = archivedData
	for (const path of [dataDir, place]) mkdirSync(path)
	await makeCluster(dataDir)
	const postgres = await startEmbeddedPostgres(dataDir, ['fsync=off'])
	const archiver = makeArchiver()
	const client = new pg.Client(postgres.connection)
	await client.connect()
	await client.query('create table notes as select 7 as id')
	for (const table of ['conversations', 'drafts']) await client.query(`create table ${table} as select 50 as version`)
	await client.query('create sequence ids')
	await client.query("select setval('ids', 7)")
	await archiver.look(settings)
	await archiver.settle()
	await client.end()
	await archiver.look(settings)
	await postgres.stop()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** An archive of one base backup and these segments, each with the time up to which it has everything. */
function makeArchive(folder: string, system: string, times: string[]): void {
	for (const name of ['bases', 'wal']) mkdirSync(join(folder, name), { recursive: true })
	const shape = { format: 1, version: '0', madeAt: '', system, recipient: null }
	writeFileSync(join(folder, 'archive.json'), JSON.stringify(shape))
	const segment = (index: number) => `00000001000000000000000${index + 1}`
	writeFileSync(join(folder, 'bases', `2026-03-10T03-00-00Z-${segment(0)}-${segment(0)}.tar.zst`), '')
	for (const [index, time] of times.entries())
		writeFileSync(join(folder, 'wal', `${segment(index)}-2026-03-${time.replace(':', '-')}-00Z.zst`), '')
}

test('a moment that the clock passed twice is refused, and so is a folder with archives of several databases, or of a site and its copy', async () => {
	const shared = join(folder, 'shared')
	const one = join(shared, 'devquad-wal-2026-03-01T00-00-00Z')
	// The clock was a day ahead from ten to eleven.
	makeArchive(one, '1', ['10T03:00', '10T10:00', '11T10:01', '11T11:00', '10T11:01', '10T16:00'])
	await expect(planRestore(one, new Date('2026-03-10T15:15:00Z'))).rejects.toThrow(
		/clock was ahead for a while, and said 2026-03-11 10:01:00Z before it was 2026-03-10 15:15:00Z/,
	)
	expect((await planRestore(shared, new Date('2026-03-10T09:00:00Z'))).segments).toHaveLength(6)
	const copy = join(shared, 'devquad-wal-2026-03-02T00-00-00Z')
	makeArchive(copy, '1', ['10T03:00'])
	await expect(planRestore(shared, null)).rejects.toThrow(
		/two sites that ran at the same time .*03-01T.*, devquad-wal-2026-03-02T/,
	)
	makeArchive(copy, '2', ['10T03:00'])
	await expect(planRestore(shared, null)).rejects.toThrow(/several databases .*03-01T.*, devquad-wal-2026-03-02T/)
})

const restore = (dataDir: string) => restoreArchive({ folder: place, to: null, passphrase: null, dataDir })

async function expectRestored(dataDir: string): Promise<void> {
	expect(readFileSync(join(dataDir, 'media/ab/one.webp'), 'utf8')).toBe('a picture')
	const postgres = await startEmbeddedPostgres(dataDir, ['fsync=off'])
	try {
		const client = new pg.Client(postgres.connection)
		await client.connect()
		expect((await client.query('select id from notes')).rows).toEqual([{ id: 7 }])
		// What was given after the moment that is restored must not be given again.
		expect((await client.query("select nextval('ids')::int as id")).rows).toEqual([{ id: 10_008 }])
		for (const table of ['conversations', 'drafts'])
			expect((await client.query(`select version from ${table}`)).rows).toEqual([{ version: 10_050 }])
		expect((await client.query("select to_regclass('restored_site') as mark")).rows).toEqual([
			{ mark: 'restored_site' },
		])
		await client.end()
	} finally {
		await postgres.stop()
	}
}

test('a restore whose pictures cannot be written leaves no database, and can be repeated', async () => {
	const dataDir = join(folder, 'full')
	mkdirSync(dataDir, { mode: 0o700 })
	// Fails as a full disk would.
	writeFileSync(join(dataDir, 'media'), '')
	await expect(restore(dataDir)).rejects.toThrow()
	expect(existsSync(join(dataDir, 'postgres'))).toBe(false)
	rmSync(join(dataDir, 'media'))
	expect(await restore(dataDir)).toMatchObject({ pictures: 1 })
	await expectRestored(dataDir)
	await expect(restore(dataDir)).rejects.toThrow('has a database already')
})

test.each([
	['postgres', 'recovery.signal'],
	// After the replay, but before it is marked as restored.
	['postgres', 'devquad-restoring'],
	['postgres-restoring', 'recovery.signal'],
])('a restore killed with %s and %s can be repeated; until then, no site starts there', async (left, file) => {
	const dataDir = join(folder, `killed-${left}-${file}`)
	mkdirSync(join(dataDir, left), { recursive: true, mode: 0o700 })
	writeFileSync(join(dataDir, left, file), '')
	writeFileSync(join(dataDir, left, 'PG_VERSION'), '18')
	await expect(startEmbeddedPostgres(dataDir)).rejects.toThrow(/^A restore into .* was broken off/)
	await restore(dataDir)
	await expectRestored(dataDir)
})

test('a database that is restored beside the files of the lost one begins an archive, and leaves the old one as it is', async () => {
	const [old = ''] = readdirSync(place)
	const segments = readdirSync(join(place, old, 'wal'))
	rmSync(join(archivedData, 'postgres'), { recursive: true })
	const waiting = '0000000100000000000000FF'
	writeFileSync(join(walFolder(archivedData), waiting), 'not archived yet')
	await restore(archivedData)
	expect(readdirSync(`${walFolder(archivedData)}-before-restore`)).toEqual([waiting])
	const postgres = await startEmbeddedPostgres(archivedData, ['fsync=off'])
	try {
		const archiver = makeArchiver()
		await archiver.look(settings)
		await archiver.settle()
		await archiver.look(settings)
		const [, begun = ''] = readdirSync(place).sort()
		expect(readdirSync(join(place, begun, 'bases'))).toHaveLength(1)
		expect((await planRestore(join(place, begun), null)).segments.at(-1)?.name).toMatch(/^00000002/)
		expect(readdirSync(join(place, old, 'wal'))).toEqual(segments)
	} finally {
		await postgres.stop()
	}
})
