// npm run restore -- FILE: makes an empty DATA_DIR (or DATABASE_URL) the site of a backup. BACKUP_PASSPHRASE decrypts it.
import { readdirSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { config } from '~/config.server.ts'
import { counted } from '~/lib/text.ts'
import { restoreBackup } from '~/platform/backup/restore.server.ts'
import { progressLine } from './support/progress.ts'
import { withSite } from './support/site.ts'

const usage = 'Usage: npm run restore -- FILE'
const folder = fileURLToPath(new URL('../migrations', import.meta.url))

try {
	const { values, positionals } = parseArgs({ allowPositionals: true, options: { trial: { type: 'boolean' } } })
	const [name] = positionals
	if (!name || positionals.length > 1) throw new Error(usage)
	const began = Date.now()
	const restored = await withSite(
		() =>
			restoreBackup({
				file: resolve(process.env.INIT_CWD ?? '.', name),
				passphrase: config().BACKUP_PASSPHRASE ?? null,
				dataDir: config().dataDir,
				migrations: { folder, names: readdirSync(folder).filter((file) => file.endsWith('.sql')) },
				onProgress: progressLine('Restoring'),
			}),
		{ migrates: false, alone: true },
	)
	const seconds = ((Date.now() - began) / 1_000).toFixed(1)
	process.stdout.write(
		`\nRestored the site of ${restored.madeAt} (version ${restored.version}): ${counted(restored.rows, 'row', 'rows')} and ` +
			`${counted(restored.files, 'file', 'files')} in ${seconds} s.${values.trial ? '' : ' Start it with npm start.'}\n`,
	)
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	process.exitCode = 1
}
