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
		read: async (key: string) => stored.get(key) ?? null,
	}),
}))

test('a picture that is deleted while it is copied, and uploaded again later, is copied then', async () => {
	const folder = mkdtempSync(join(tmpdir(), 'devquad-mirror-'))
	const mirror = new PictureMirror({ folder, system: '1', recipient: null })
	stored.set('ab/one.webp', null)
	await mirror.copyNew()
	stored.set('ab/one.webp', Buffer.from('a picture'))
	await mirror.copyNew()
	expect(readFileSync(join(folder, 'media/ab/one.webp'), 'utf8')).toBe('a picture')
	rmSync(folder, { recursive: true })
})
