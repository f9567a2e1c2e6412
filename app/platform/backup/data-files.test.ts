import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { mkdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { dataFiles, makeTrialFolder } from './backup.server.ts'
import { listCluster } from './base-backup.server.ts'

/** A disk without permissions, as exFAT and CIFS are mounted. */
vi.mock('node:fs/promises', async (load) => {
	const real = await load<typeof import('node:fs/promises')>()
	const stat = async (path: string) =>
		Object.assign(await real.stat(path), /windows-disk\/./.test(path) ? { mode: 0o40755 } : {})
	return { ...real, stat }
})

let dataDir = ''

beforeEach(() => {
	dataDir = mkdtempSync(join(tmpdir(), 'devquad-data-'))
	writeFileSync(join(dataDir, 'auth-secret'), 'a secret')
})
afterEach(() => rmSync(dataDir, { recursive: true }))

async function namesIn(target?: string): Promise<string[]> {
	const names: string[] = []
	for await (const { name } of dataFiles(dataDir, target)) names.push(name)
	return names.sort()
}

test('a backup contains the keys of the data directory, but no unfinished archive of a member', async () => {
	for (const folder of ['archives', 'backups', 'media', 'mail']) {
		mkdirSync(join(dataDir, folder))
		writeFileSync(join(dataDir, folder, 'one.partial'), 'words')
	}
	expect(await namesIn()).toEqual(['data/auth-secret', 'data/mail/one.partial'])
})

test.each([
	'devquad-2026-11-28T03-00-00Z.tar.zst',
	'kept/devquad-2026-11-28T03-00-00Z.tar.zst.age',
	'kept/devquad-2026-11-28T03-00-00Z.tar.zst.partial',
	'kept/devquad-wal-2026-11-28T03-00-00Z/bases/one',
	'kept/.devquad-verify-a1B2c3/site/auth-secret',
	'kept/mine.zst',
	'kept/mine.zst.partial',
])('a backup within the data directory does not contain %s', async (path) => {
	mkdirSync(join(dataDir, path, '..'), { recursive: true })
	writeFileSync(join(dataDir, path), 'the whole site')
	expect(await namesIn(join(dataDir, 'kept/mine.zst'))).toEqual(['data/auth-secret'])
})

test('a backup is verified beside it, or in the data directory where its disk has no permissions', async () => {
	const own = join(dataDir, 'backups')
	const [usual, windows] = [join(dataDir, 'usual-disk'), join(dataDir, 'windows-disk')]
	for (const folder of [usual, windows]) mkdirSync(folder)
	expect(await makeTrialFolder(usual, own, 2 ** 60)).toContain(`${usual}/.devquad-verify-`)
	expect(await makeTrialFolder(windows, own, 1)).toContain(`${own}/.devquad-verify-`)
	await expect(makeTrialFolder(windows, own, 2 ** 60)).rejects.toThrow(
		/cannot be verified: its disk has no permissions/,
	)
	expect(readdirSync(windows)).toEqual([])
})

test('the files of a cluster are listed while PostgreSQL makes and removes folders for its temporary files', async () => {
	mkdirSync(join(dataDir, 'base/pgsql_tmp'), { recursive: true })
	mkdirSync(join(dataDir, 'base/1'))
	writeFileSync(join(dataDir, 'base/1/1259'), 'rows')
	let isOver = false
	const churn = async (name: string) => {
		for (; !isOver; await rm(join(dataDir, name), { recursive: true, force: true }))
			await mkdir(join(dataDir, name, 'one'), { recursive: true })
	}
	const churning = [churn('base/pgsql_tmp/pgsql_tmp1.0.fileset'), churn('base/2')]
	try {
		for (let round = 0; round < 60; round += 1) {
			const { folders, files } = await listCluster(dataDir)
			expect(files.sort()).toEqual(['auth-secret', 'base/1/1259'])
			expect(folders.filter((name) => name.includes('pgsql_tmp'))).toEqual([])
		}
	} finally {
		isOver = true
		await Promise.all(churning)
	}
})

test('a key that links to a file elsewhere is in the backup, and an unreadable one makes it fail', async () => {
	symlinkSync(join(dataDir, 'auth-secret'), join(dataDir, 'vapid-private-key'))
	symlinkSync(join(dataDir, 'gone'), join(dataDir, 'link-to-nothing'))
	expect(await namesIn()).toEqual(['data/auth-secret', 'data/vapid-private-key'])
	// Its size is 0, and reading it is an error of the device.
	symlinkSync('/proc/self/mem', join(dataDir, 'a-broken-disk'))
	await expect(namesIn()).rejects.toThrow(/a-broken-disk cannot be read/)
})
