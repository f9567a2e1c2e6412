import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { createArchive, momentName, sweepArchive, type WalArchive } from './wal-archive.server.ts'

const place = mkdtempSync(join(tmpdir(), 'devquad-sweep-'))
const now = new Date('2026-03-20T12:00:00Z')
const ago = (days: number) => new Date(now.getTime() - days * 86_400_000)
const segment = (number: number) => `0000000100000000000000${number.toString(16).padStart(2, '0').toUpperCase()}`
let archive: WalArchive

beforeEach(async () => {
	mkdirSync(place, { recursive: true })
	archive = await createArchive(place, { system: '1', version: '0', passphrase: null })
})
afterEach(() => rmSync(place, { recursive: true }))

/** Adds base backups of these ages in days, the oldest first; the n-th needs the n-th WAL segment only. */
function addBases(ages: number[]): void {
	for (const [index, age] of ages.entries()) {
		const [moment, name] = [momentName(ago(age)), segment(index + 1)]
		writeFileSync(join(archive.folder, 'bases', `${moment}-${name}-${name}.tar.zst`), '')
		writeFileSync(join(archive.folder, 'wal', `${name}-${moment}.zst`), '')
	}
}

test.each([
	['one for each day', [5, 4, 3, 2, 1, 0], [3, 2, 1, 0], 3],
	['several of one hour, after gaps', [4, 3, 2, 1, 0.02, 0.01, 0], [3, 2, 1, 0.02, 0.01, 0], 3],
	['fewer days than are to be restorable', [2, 1, 0], [2, 1, 0], null],
	['none for weeks, as the site was off', [42, 41, 40, 0], [42, 41, 40, 0], 42],
	['a clock that is weeks ahead', [30, 29, 28, 27, 26, 25, 0], [27, 26, 25, 0], 27],
])('every moment of the last three days stays restorable: %s', async (_what, ages, kept, earliest) => {
	addBases(ages)
	expect(await sweepArchive(archive, 3, now)).toEqual(earliest === null ? null : ago(earliest))
	const moments = kept.map((age) => momentName(ago(age)))
	const momentIn = (name: string) => /\d{4}-\d\d-\d\dT\d\d-\d\d-\d\dZ/.exec(name)?.[0]
	for (const folder of ['bases', 'wal'])
		expect(readdirSync(join(archive.folder, folder)).sort().map(momentIn)).toEqual(moments)
})

test('the WAL of all bases that stay is kept, also where one that was made while the clock was in 1970 comes first', async () => {
	addBases([3, 2, 1, 0])
	const moment = momentName(new Date('1970-01-01T00:00:00Z'))
	writeFileSync(join(archive.folder, 'bases', `${moment}-${segment(9)}-${segment(9)}.tar.zst`), '')
	expect(await sweepArchive(archive, 4, now)).toEqual(new Date(0))
	expect(readdirSync(join(archive.folder, 'wal'))).toHaveLength(4)
	expect(readdirSync(join(archive.folder, 'bases'))).toHaveLength(5)
})

test('an earlier archive stays until this one covers all days', async () => {
	const earlier = join(place, 'devquad-wal-2026-03-01T00-00-00Z')
	mkdirSync(join(earlier, 'bases'), { recursive: true })
	mkdirSync(join(earlier, 'wal'))
	writeFileSync(join(earlier, 'archive.json'), '{"format":1,"version":"0","madeAt":"","system":"1","recipient":null}')
	addBases([2, 1, 0.02, 0.01, 0])
	await sweepArchive(archive, 3, now)
	expect(existsSync(earlier)).toBe(true)
	await sweepArchive(archive, 2, now)
	expect(existsSync(earlier)).toBe(false)
})
