import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { PictureMirror } from './picture-mirror.server.ts'

const stored = new Map<string, Buffer | null>()

vi.mock('~/platform/storage/storage.server.ts', () => ({
	storage: async () => ({
		list: async function* () {
			yield* stored.keys()
		},
		read: async (key: string) => {
			if (key.startsWith('unreadable/')) throw new Error('It cannot be read.')
			return stored.get(key) ?? null
		},
	}),
}))

test('a picture that is deleted while being copied, and later uploaded again, is copied then', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-mirror-'))
	const mirror = new PictureMirror({ folder, system: '1', recipient: null })
	stored.set('ab/one.webp', null)
	await mirror.copyNew()
	stored.set('ab/one.webp', Buffer.from('a picture'))
	await mirror.copyNew()
	expect(readFileSync(join(folder, 'media/ab/one.webp'), 'utf8')).toBe('a picture')
	rmSync(folder, { recursive: true })
})

test('a picture that cannot be read is reported, and does not keep others from being copied', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-mirror-'))
	const mirror = new PictureMirror({ folder, system: '1', recipient: null })
	stored.clear()
	stored.set('unreadable/one.webp', Buffer.from(''))
	stored.set('ab/two.webp', Buffer.from('a picture'))
	await expect(mirror.copyNew()).rejects.toThrow('It cannot be read.')
	expect(readFileSync(join(folder, 'media/ab/two.webp'), 'utf8')).toBe('a picture')
	rmSync(folder, { recursive: true })
})
