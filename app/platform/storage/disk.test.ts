import { tmpdir } from 'node:os'
import { expect, onTestFinished, test } from 'vitest'
import { diskFullError } from '~/platform/db/outage.server.ts'
import { canIsolate, isolationNote, mountSmallDisk, runOnDisk } from '../../../tests/support/small-disk.ts'
import { diskState, diskStateOf, fileStateOf, readDisk } from './disk.server.ts'

const MB = 2 ** 20
const GB = 2 ** 30

test.each([
	['31 MB left', 31 * MB, 100 * GB, 'full'],
	['499 MB left', 499 * MB, 1_000 * GB, 'nearly-full'],
	['4 % of 100 GB left', 4 * GB, 100 * GB, 'nearly-full'],
	['6 % of 100 GB left', 6 * GB, 100 * GB, null],
	['4 % of 10 TB left', 400 * GB, 10_000 * GB, null],
	['an empty small disk', 700 * MB, 800 * MB, null],
])('%s', (_what, left, whole, state) => {
	expect(diskStateOf(left, whole)).toBe(state)
})

test.each([
	['no limit', 0, 0, null],
	['99 files left', 99, 1_000_000, 'full'],
	['1 % of a million files left', 10_000, 1_000_000, 'nearly-full'],
	['3 % of a million files left', 30_000, 1_000_000, null],
])('%s', (_what, left, whole, state) => {
	expect(fileStateOf(left, whole)).toBe(state)
})

test(`a disk with room for bytes, and none for files, is full${isolationNote}`, { skip: !canIsolate }, async () => {
	const disk = await mountSmallDisk(1_024)
	onTestFinished(disk.remove)
	expect(await readDisk(disk.seen)).toBeNull()
	runOnDisk(disk, 'mount', '-o', 'remount,nr_inodes=50', disk.folder)
	expect(await readDisk(disk.seen)).toBe('full')
})

test('the disk of an existing folder can be checked', async () => {
	expect([null, 'nearly-full', 'full']).toContain(await readDisk(tmpdir()))
})

test('a write that failed on a full disk counts, whatever the last check found', async () => {
	await diskState(tmpdir())
	diskFullError(new Error('ENOSPC'))
	expect(await diskState(tmpdir())).toBe('full')
})
