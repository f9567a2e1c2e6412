import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { parseConfig } from '~/config.server.ts'
import { nameArchive, writePartial } from '~/platform/backup/archive.server.ts'
import { writeFileAtomically } from '~/platform/backup/wal-archive.server.ts'
import { openStorage } from '~/platform/storage/storage.server.ts'

/* Which calls the file system gets, also where no loss of power can be tried (tests/support/power.ts). */

const { calls, refusal } = vi.hoisted(() => ({ calls: [] as string[], refusal: { code: '' } }))

vi.mock('node:fs/promises', async (load) => {
	const real = await load<typeof import('node:fs/promises')>()
	const rename: typeof real.rename = async (from, to) => {
		await real.rename(from, to)
		calls.push(`rename ${to}`)
	}
	const open: typeof real.open = async (path, ...rest) => {
		const handle = await real.open(path, ...rest)
		const sync = handle.sync.bind(handle)
		handle.sync = async () => {
			await sync()
			calls.push(`sync ${path}`)
			if (refusal.code) throw Object.assign(new Error(refusal.code), refusal)
		}
		return handle
	}
	return { ...real, rename, open }
})

const folder = mkdtempSync(join(tmpdir(), 'devquad-rename-'))

afterEach(() => {
	calls.length = 0
	refusal.code = ''
	rmSync(folder, { recursive: true, force: true })
})

const contents = Buffer.from('kept')

test.each<[string, string, () => Promise<unknown>]>([
	['a file of the archive', 'wal/1', () => writeFileAtomically(join(folder, 'wal', '1'), contents)],
	[
		'a picture',
		'media/a/1.webp',
		async () => (await openStorage(parseConfig({ DATA_DIR: folder }))).put('a/1.webp', contents, 'image/webp'),
	],
	[
		'a backup',
		'site.devquad',
		async () => {
			await writeFileAtomically(join(folder, 'other'), contents)
			calls.length = 0
			await writePartial(join(folder, 'site.devquad'), null, (async function* () {})())
			await nameArchive(join(folder, 'site.devquad'))
		},
	],
])('%s has its name also after a loss of power', async (_what, name, write) => {
	await write()
	const place = join(folder, name)
	expect(calls.map((call) => relative(folder, call.replace(/^\w+ /, '')))).toEqual([
		name,
		relative(folder, join(place, '..')),
	])
	expect(calls.map((call) => call.split(' ')[0])).toEqual(['rename', 'sync'])
	expect(readdirSync(join(place, '..'))).toContain(name.split('/').at(-1))
})

test('a file system that cannot sync folders is used all the same, and another fault is an error', async () => {
	refusal.code = 'EINVAL'
	await writeFileAtomically(join(folder, '1'), contents)
	refusal.code = 'EIO'
	await expect(writeFileAtomically(join(folder, '2'), contents)).rejects.toThrow('EIO')
})
