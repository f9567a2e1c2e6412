import { once } from 'node:events'
import {
	existsSync,
	mkdirSync,
	mkdtempSync,
	readdirSync,
	readlinkSync,
	rmSync,
	utimesSync,
	writeFileSync,
} from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import S3rver from 's3rver'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { config, parseConfig } from '~/config.server.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { canLimitFiles, runWithFewFiles } from '../../../tests/support/few-files.ts'
import { canIsolate, isolationNote, mountSmallDisk } from '../../../tests/support/small-disk.ts'
import { openStorage, type Storage, storage as siteStorage } from './storage.server.ts'

// S3 is tested against a server of that protocol on loopback, including signatures.

const folder = mkdtempSync(join(tmpdir(), 'devquad-storage-'))
const server = new S3rver({
	port: 0,
	silent: true,
	directory: join(folder, 's3'),
	configureBuckets: [{ name: 'quad' }],
})
const storages: Record<string, Storage> = {}
const bucket: Record<string, string> = { S3_BUCKET: 'quad', S3_ACCESS_KEY_ID: 'S3RVER', S3_SECRET_ACCESS_KEY: 'S3RVER' }

beforeAll(async () => {
	const { port } = await server.run()
	bucket.S3_ENDPOINT = `http://localhost:${port}`
	storages.disk = await openStorage(parseConfig({ DATA_DIR: folder }))
	storages.S3 = await openStorage(parseConfig({ ...bucket, DATA_DIR: folder }))
})

afterAll(async () => {
	await server.close()
	rmSync(folder, { recursive: true, force: true })
})

const key = 'profiles/mira.quillon/0123-96.webp'

test.each(['disk', 'S3'])('%s: a file can be stored, read, replaced and removed', async (name) => {
	const storage = storages[name] as Storage
	expect(await storage.read(key)).toBeNull()
	await storage.put(key, Buffer.from('one'), 'image/webp')
	await storage.put(key, Buffer.from('two'), 'image/webp')
	expect(await contents(storage)).toBe('two')
	await storage.remove(key)
	expect(await storage.read(key)).toBeNull()
	await storage.remove(key)
})

test.each(['disk', 'S3'])('%s: a large file can be streamed, until it is removed', async (name) => {
	const storage = storages[name] as Storage
	const file = join(folder, 'large.zip')
	writeFileSync(file, 'large')
	expect(await storage.stream('archives/one.zip')).toBeNull()
	await storage.putLarge('archives/one.zip', file, 'application/zip')
	expect(await text((await storage.stream('archives/one.zip')) as Readable)).toBe('large')
	await storage.remove('archives/one.zip')
	expect(await storage.stream('archives/one.zip')).toBeNull()
})

test.runIf(canLimitFiles)('disk: a file that cannot be opened is refused, and the process goes on', () => {
	const { status, stdout } = runWithFewFiles(
		`
		const { mkdirSync, writeFileSync } = await import('node:fs')
		const { stat } = await import('node:fs/promises')
		const { parseConfig } = await import('~/config.server.ts')
		const { openStorage } = await import('~/platform/storage/storage.server.ts')
		const storage = await openStorage(parseConfig(process.env))
		mkdirSync(process.env.DATA_DIR + '/media/archives', { recursive: true })
		writeFileSync(process.env.DATA_DIR + '/media/archives/one.zip', 'large')
		const close = useUp()
		const refused = await storage.stream('archives/one.zip').then(() => 'opened', ({ status }) => status)
		// As long as the caller asks the database.
		for (let turn = 0; turn < 10; turn += 1) await stat('.')
		close()
		process.stdout.write(String(refused))`,
		{ DATA_DIR: mkdtempSync(join(folder, 'few-')) },
	)
	expect([status, stdout]).toEqual([0, '503'])
})

test.runIf(existsSync('/proc/self/fd'))('S3: a large file that could not be sent is not kept open', async () => {
	const unreachable = await openStorage(parseConfig({ ...bucket, S3_ENDPOINT: 'http://127.0.0.1:1' }))
	const file = join(folder, 'unsent.zip')
	writeFileSync(file, Buffer.alloc(300_000))
	await expect(unreachable.putLarge('archives/unsent.zip', file, 'application/zip')).rejects.toThrow()
	const isOpen = (fd: string) => {
		try {
			return readlinkSync(`/proc/self/fd/${fd}`) === file
		} catch {
			return false
		}
	}
	await eventually(() => expect(readdirSync('/proc/self/fd').filter(isOpen)).toEqual([]), 5_000)
})

test('S3: a large file may take longer than a picture', async () => {
	const slow = createServer((request, response) => {
		request.resume().once('end', () => setTimeout(() => response.end(), 4_500))
	}).listen(0, '127.0.0.1')
	await once(slow, 'listening')
	const { port } = slow.address() as AddressInfo
	const storage = await openStorage(parseConfig({ ...bucket, S3_ENDPOINT: `http://127.0.0.1:${port}` }))
	const file = join(folder, 'slow.zip')
	writeFileSync(file, 'large')
	await storage.putLarge('archives/slow.zip', file, 'application/zip')
	slow.close()
})

// S3 itself guarantees this. The server that replaces it here overwrites files in place, so concurrent writes may mix.
test('disk: of twenty concurrent writes to one file, one is stored complete', async () => {
	const storage = storages.disk as Storage
	const texts = Array.from({ length: 20 }, (_, index) => String(index).repeat(50_000))
	await Promise.all(texts.map((text) => storage.put(key, Buffer.from(text), 'image/webp')))
	expect(texts).toContain(await contents(storage))
})

test.each(['../outside', 'a/../../b'])('the disk refuses the key %j', async (outside) => {
	await expect(storages.disk?.put(outside, Buffer.from('x'), 'image/webp')).rejects.toThrow()
})

test('a missing bucket is an error, so nothing is lost silently', async () => {
	const missing = await openStorage(parseConfig({ ...bucket, S3_BUCKET: 'elsewhere' }))
	await expect(missing.put(key, Buffer.from('x'), 'image/webp')).rejects.toThrow()
})

test('a reader never sees a partial file', async () => {
	const storage = storages.disk as Storage
	const texts = ['a', 'b'].map((letter) => letter.repeat(1_200_000))
	await storage.put(key, Buffer.from(texts[0] as string), 'image/webp')
	for (let round = 0; round < 15; round += 1) {
		const writing = storage.put(key, Buffer.from(texts[round % 2] as string), 'image/webp')
		for (let reading = 0; reading < 5; reading += 1) expect(texts.includes(await contents(storage))).toBe(true)
		await writing
	}
})

test(`a large file for which the disk has no room leaves nothing behind, and the former one stays${isolationNote}`, {
	skip: !canIsolate,
}, async () => {
	const disk = await mountSmallDisk(4)
	onTestFinished(disk.remove)
	const storage = await openStorage(parseConfig({ DATA_DIR: disk.seen }))
	const [small, large] = [join(folder, 'small'), join(folder, 'large')]
	writeFileSync(small, 'small')
	writeFileSync(large, Buffer.alloc(8 * 2 ** 20))
	await storage.putLarge('archives/one.zip', small, 'application/zip')
	for (const key of ['archives/one.zip', 'archives/other.zip'] as const)
		await expect(storage.putLarge(key, large, 'application/zip')).rejects.toThrow()
	expect(await text((await storage.stream('archives/one.zip')) as Readable)).toBe('small')
	expect(await storage.stream('archives/other.zip')).toBeNull()
	expect(readdirSync(join(disk.seen, 'media', '.incoming'))).toEqual([])
})

test('partial files of a crash are removed after an hour, and files being written stay', async () => {
	const incoming = join(folder, 'media', '.incoming')
	const [old, fresh] = [join(incoming, 'old'), join(incoming, 'fresh')]
	for (const file of [old, fresh]) writeFileSync(file, 'half')
	const before = Date.now() / 1_000 - 3_700
	utimesSync(old, before, before)
	await openStorage(parseConfig({ DATA_DIR: folder }))
	expect([old, fresh].map((file) => existsSync(file))).toEqual([false, true])
})

async function contents(storage: Storage): Promise<string> {
	const bytes = await storage.read(key)
	if (!bytes) throw new Error('there is no such file')
	return String(bytes)
}

test('storage that could not be opened is opened by the next call', async () => {
	const { dataDir } = config()
	mkdirSync(dataDir, { recursive: true })
	// Like a disk that is not mounted yet.
	rmSync(join(dataDir, 'media'), { recursive: true, force: true })
	writeFileSync(join(dataDir, 'media'), '')
	await expect(siteStorage()).rejects.toThrow()
	rmSync(join(dataDir, 'media'))
	expect(await (await siteStorage()).read(key)).toBeNull()
})

test('disk: listing continues when files are removed meanwhile', async () => {
	const storage = storages.disk as Storage
	const keys = Array.from({ length: 200 }, (_, index) => `posts/member-${index}/one.webp`)
	for (const one of keys) await storage.put(one, Buffer.from('one'), 'image/webp')
	let count = 0
	for await (const _ of storage.list()) {
		if (count === 0) for (const one of keys) await storage.remove(one)
		count += 1
	}
	expect(count).toBeGreaterThan(0)
})
