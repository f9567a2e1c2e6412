import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { dataFiles } from './backup.server.ts'

test('a backup has the keys of the data directory, and no archive of a member that is being made', async () => {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-data-'))
	writeFileSync(join(dataDir, 'auth-secret'), 'a secret')
	for (const folder of ['archives', 'backups', 'media', 'mail']) {
		mkdirSync(join(dataDir, folder))
		writeFileSync(join(dataDir, folder, 'one.partial'), 'words')
	}
	const names: string[] = []
	for await (const { name } of dataFiles(dataDir)) names.push(name)
	expect(names.sort()).toEqual(['data/auth-secret', 'data/mail/one.partial'])
	rmSync(dataDir, { recursive: true })
})
