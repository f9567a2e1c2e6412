import { readdirSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { Decrypter, Encrypter } from 'age-encryption'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { canIsolate, isolationNote, mountSmallDisk } from '../../../tests/support/small-disk.ts'
import { type ArchiveEntry, nameArchive, readArchive, writeArchive, writePartial } from './archive.server.ts'
import { makeTrialFolder, removeOldBackups } from './backup.server.ts'

const passphrase = 'four words on paper'
let folder = ''
let plain = ''
let secret = ''

/** Contains every byte value, and its size is no multiple of a tar block. */
const first = Uint8Array.from({ length: 100_001 }, (_, index) => index % 256)
const second = Buffer.from('the end')

async function* entries(): AsyncGenerator<ArchiveEntry> {
	yield { name: 'tables/members/1', contents: first }
	yield { name: 'empty', contents: new Uint8Array() }
	yield { name: `media/${'deep/'.repeat(30)}picture.webp`, contents: second }
}

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), 'devquad-archive-'))
	plain = join(folder, 'plain.tar.zst')
	secret = join(folder, 'secret.tar.zst.age')
	await writeArchive(plain, null, entries())
	await writeArchive(secret, passphrase, entries(), 8)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

async function readAll(file: string, word: string | null): Promise<ArchiveEntry[]> {
	const read: ArchiveEntry[] = []
	for await (const entry of readArchive(file, word)) read.push(entry)
	return read
}

test.each([
	['without a passphrase', () => plain, null],
	['without one, though a passphrase is given', () => plain, passphrase],
	['with its passphrase', () => secret, passphrase],
])('an archive is read as it was written, %s', async (_, file, word) => {
	const read = await readAll(file(), word)
	expect(read.map(({ name }) => name)).toEqual(['tables/members/1', 'empty', `media/${'deep/'.repeat(30)}picture.webp`])
	expect(Buffer.from(read[0]?.contents ?? []).equals(first)).toBe(true)
	expect(Buffer.from(read[2]?.contents ?? []).toString()).toBe('the end')
	expect(statSync(file()).mode & 0o777).toBe(0o600)
})

test('a backup that fails verification does not replace the previous one, and does not count', async () => {
	const file = join(folder, 'devquad-2026-04-01T03-00-00Z.tar.zst')
	writeFileSync(file, 'the one before')
	const tried: string[] = []
	const tryIt = async (partial: string) => {
		tried.push(...(await readAll(partial, null)).map(({ name }) => name))
		throw new Error('It could not be restored from.')
	}
	await writePartial(file, null, entries())
	await expect(nameArchive(file, tryIt)).rejects.toThrow('It could not be restored from.')
	expect([tried.length, readFileSync(file, 'utf8')]).toEqual([3, 'the one before'])
	expect(readdirSync(folder).filter((name) => name.startsWith('devquad-'))).toEqual([basename(file)])
	rmSync(file)
})

test('another age implementation can decrypt our files, and we can decrypt its files', async () => {
	const other = new Decrypter()
	other.addPassphrase(passphrase)
	const opened = join(folder, 'opened.tar.zst')
	writeFileSync(opened, await other.decrypt(readFileSync(secret)))
	expect(await readAll(opened, null)).toHaveLength(3)
	const encrypter = new Encrypter()
	encrypter.setPassphrase(passphrase)
	encrypter.setScryptWorkFactor(8)
	const made = join(folder, 'made.tar.zst.age')
	writeFileSync(made, await encrypter.encrypt(readFileSync(plain)))
	expect(await readAll(made, passphrase)).toHaveLength(3)
})

/** A modified copy of a file. */
function changed(file: string, change: (contents: Buffer) => Buffer): string {
	const copy = join(folder, 'changed')
	writeFileSync(copy, change(readFileSync(file)))
	return copy
}
const cut = (share: number) => (contents: Buffer) => contents.subarray(0, Math.floor(contents.length * share))
const flip = (contents: Buffer) => {
	const copy = Buffer.from(contents)
	const place = Math.floor(copy.length / 2)
	copy[place] = (copy[place] ?? 0) ^ 0xff
	return copy
}

test.each<[string, () => string, string | null, RegExp]>([
	['a file that is not there', () => join(folder, 'none'), null, /^There is no file /],
	['a folder', () => folder, null, /is not a file\.$/],
	['an empty file', () => changed(plain, cut(0)), null, /is not a backup of a DevQuad site\.$/],
	['a text', () => changed(plain, () => Buffer.from('Dear diary, this is no backup at all.')), null, /is not a backup/],
	[
		'something else in Zstandard',
		() => changed(plain, (all) => Buffer.concat([all.subarray(0, 4), Buffer.alloc(9)])),
		null,
		/damaged or not whole/,
	],
	['half of it', () => changed(plain, cut(0.5)), null, /damaged or not whole/],
	['all but its end', () => changed(plain, cut(0.9)), null, /damaged or not whole/],
	['another byte in its middle', () => changed(plain, flip), null, /damaged or not whole/],
	[
		'no passphrase for an encrypted one',
		() => secret,
		null,
		/is encrypted\. Set BACKUP_PASSPHRASE to its passphrase\.$/,
	],
	['the wrong passphrase', () => secret, 'four words on sand', /^The passphrase is not that of the backup /],
	[
		'one that asks for too much work',
		() =>
			changed(secret, (all) => Buffer.from(all.toString('latin1').replace(/^(-> scrypt \S+) 8$/m, '$1 30'), 'latin1')),
		passphrase,
		/^The passphrase is not that of the backup /,
	],
	['half of an encrypted one', () => changed(secret, cut(0.5)), passphrase, /damaged or not whole/],
	['all but the last bytes of an encrypted one', () => changed(secret, cut(0.999)), passphrase, /damaged or not whole/],
	['another byte in an encrypted one', () => changed(secret, flip), passphrase, /damaged or not whole/],
])('is reported in a sentence: %s', async (_, file, word, sentence) => {
	await expect(readAll(file(), word)).rejects.toThrow(sentence)
})

test('an entry that fails leaves no file, and its error is reported', async () => {
	const file = join(folder, 'broken.tar.zst')
	const broken = async function* () {
		yield { name: 'one', contents: first }
		throw new Error('the database went away')
	}
	await expect(writeArchive(file, null, broken())).rejects.toThrow('the database went away')
	await expect(writeArchive(join(folder, 'no', 'folder'), null, entries())).rejects.toThrow('There is no folder')
	expect(readdirSync(folder).filter((name) => name.startsWith('broken'))).toEqual([])
})

test('the folder of a killed verification is removed by the next one, that of a running one is not', async () => {
	const place = await mkdtemp(join(folder, 'trials-'))
	const [left, running] = [await makeTrialFolder(place, place, 1), await makeTrialFolder(place, place, 1)]
	writeFileSync(join(left, 'site'), 'not encrypted')
	const yesterday = new Date(Date.now() - 86_400_000)
	utimesSync(left, yesterday, yesterday)
	const made = await makeTrialFolder(place, place, 1)
	expect(readdirSync(place).sort()).toEqual([running, made].map((path) => basename(path)).sort())
})

test('old backups and partial ones are removed; the one just made and other files stay', async () => {
	const place = await mkdtemp(join(folder, 'kept-'))
	const named = (day: string) => `devquad-${day}T03-00-00Z.tar.zst`
	const made = named('2026-03-03')
	const names = [named('2026-03-01'), named('2026-03-02'), made, named('2099-01-01'), 'mine.tar.zst']
	const [left, running] = [`${named('2026-03-01')}.age.partial`, `${named('2026-03-04')}.partial`]
	for (const name of [...names, left, running, 'mine.partial']) writeFileSync(join(place, name), '')
	const yesterday = new Date(Date.now() - 86_400_000)
	for (const name of [left, 'mine.partial']) utimesSync(join(place, name), yesterday, yesterday)
	expect(await removeOldBackups(place, 2, made)).toEqual([named('2026-03-01'), named('2026-03-02')])
	expect(readdirSync(place).sort()).toEqual([made, running, named('2099-01-01'), 'mine.partial', 'mine.tar.zst'].sort())
	expect(await removeOldBackups(place, 1, made)).toEqual([named('2099-01-01')])
})

test.runIf(canIsolate)(`a full disk is reported, and no file is left on it${isolationNote}`, async () => {
	const disk = await mountSmallDisk(1)
	try {
		const noise = async function* () {
			for (let number = 0; number < 40; number += 1)
				yield { name: `noise/${number}`, contents: crypto.getRandomValues(new Uint8Array(65_536)) }
		}
		const file = join(disk.seen, 'backup.tar.zst')
		await expect(writeArchive(file, null, noise())).rejects.toThrow(/cannot be written to .*: the disk is full\.$/)
		expect(readdirSync(disk.seen)).toEqual([])
	} finally {
		await disk.remove()
	}
})
