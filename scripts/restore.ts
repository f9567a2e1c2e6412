// npm run restore -- FILE: restores a backup into an empty DATA_DIR (or DATABASE_URL). npm run restore -- [--to MOMENT] FOLDER:
// restores a continuous archive as of a moment into an empty DATA_DIR. BACKUP_PASSPHRASE decrypts.
import { readdirSync, statSync } from 'node:fs'
import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { config } from '~/config.server.ts'
import { pluralize } from '~/lib/text.ts'
import { restoreBackup } from '~/platform/backup/restore.server.ts'
import { restoreArchive } from '~/platform/backup/restore-archive.server.ts'
import { parseMoment } from './support/moment.ts'
import { progressLine } from './support/progress.ts'
import { withDataDir, withSite } from './support/site.ts'

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
	process.on(signal, () => stopping.abort(new Error('Stopped, so nothing was restored.')))

const usage = 'Usage: npm run restore -- FILE, or npm run restore -- [--to "2026-11-24 15:30"] FOLDER'
const folder = fileURLToPath(new URL('../migrations', import.meta.url))

try {
	const { values, positionals } = parseArgs({
		allowPositionals: true,
		options: { trial: { type: 'boolean' }, to: { type: 'string' } },
	})
	const [name] = positionals
	if (!name || positionals.length > 1) throw new Error(usage)
	const path = resolve(process.env.INIT_CWD ?? '.', name)
	const known = statSync(path, { throwIfNoEntry: false })
	// Before a database is made for it, which would keep a continuous archive from being restored into the same folder.
	if (!known) throw new Error(`There is no file or folder ${path}.`)
	if (known.isDirectory()) await fromArchive(path, values.to === undefined ? null : parseMoment(values.to))
	else if (values.to === undefined) await fromBackup(path, values.trial === true)
	else throw new Error('--to needs a continuous archive: a backup is the site of one moment.')
} catch (error) {
	const cause: unknown = stopping.signal.aborted ? stopping.signal.reason : error
	process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`)
	process.exitCode = 1
}

async function fromBackup(file: string, isTrial: boolean): Promise<void> {
	const began = Date.now()
	const restored = await withSite(
		() =>
			restoreBackup({
				file,
				passphrase: config().BACKUP_PASSPHRASE ?? null,
				dataDir: config().dataDir,
				migrations: { folder, names: readdirSync(folder).filter((file) => file.endsWith('.sql')) },
				onProgress: progressLine('Restoring'),
				signal: stopping.signal,
			}),
		{ migrates: false, alone: true },
	)
	const seconds = ((Date.now() - began) / 1_000).toFixed(1)
	process.stdout.write(
		`\nRestored the site of ${restored.madeAt} (version ${restored.version}): ${pluralize(restored.rows, 'row', 'rows')} and ` +
			`${pluralize(restored.files, 'file', 'files')} in ${seconds} s.${isTrial ? '' : ' Start it with npm start.'}\n`,
	)
}

async function fromArchive(path: string, to: Date | null): Promise<void> {
	const began = Date.now()
	const { dataDir, BACKUP_PASSPHRASE } = config()
	const { at, pictures } = await withDataDir(() =>
		restoreArchive({
			folder: path,
			to,
			passphrase: BACKUP_PASSPHRASE ?? null,
			dataDir,
			onProgress: progressLine('Restoring'),
			signal: stopping.signal,
		}),
	)
	const seconds = ((Date.now() - began) / 1_000).toFixed(1)
	process.stdout.write(
		`\nRestored the site as it was at ${at.toISOString()}, with ${pluralize(pictures, 'picture', 'pictures')}, in ${seconds} s. Start it with npm start.\n`,
	)
}
