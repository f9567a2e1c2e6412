import { mkdirSync, rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { config } from '~/config.server.ts'
import { walFolder } from '~/platform/db/wal-archiving.server.ts'
import { rereadSettings } from '~/platform/settings/settings.server.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { startArchiving } from './archiving.server.ts'

useDatabase()

test('continuous archiving whose lock cannot be taken does not end the process', async () => {
	const { dataDir } = config()
	await rereadSettings()
	// As after archiving was turned off elsewhere: it has to be ended here.
	mkdirSync(walFolder(dataDir), { recursive: true })
	const lock = join(dataDir, 'site.archive.lock')
	symlinkSync('/elsewhere', lock)
	const stop = await startArchiving()
	await expect(stop?.()).resolves.toBeUndefined()
	for (const made of [lock, walFolder(dataDir)]) rmSync(made, { recursive: true })
})
