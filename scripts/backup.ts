// npm run backup -- [--to FILE|FOLDER] [--no-verify] [--json], or with [--to FOLDER] --keep COUNT: backs up the whole site into one
// file, also while it runs. BACKUP_PASSPHRASE encrypts it.
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { basename, dirname, join, resolve } from 'node:path'
import { text } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import { config, settingNames } from '~/config.server.ts'
import { pluralize } from '~/lib/text.ts'
import { nameArchive } from '~/platform/backup/archive.server.ts'
import { makeBackup, makeTrialFolder, removeOldBackups } from '~/platform/backup/backup.server.ts'
import { progressLine } from './support/progress.ts'
import { withSite } from './support/site.ts'

const stopping = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
	process.on(signal, () => stopping.abort(new Error('Stopped, so there is no backup.')))

const usage = 'Usage: npm run backup -- [--to FILE|FOLDER] [--no-verify] [--json], or with [--to FOLDER] --keep COUNT'

try {
	const { values } = parseArgs({
		allowNegative: true,
		options: {
			to: { type: 'string', default: '.' },
			keep: { type: 'string' },
			verify: { type: 'boolean', default: true },
			json: { type: 'boolean', default: false },
		},
	})
	if (values.keep !== undefined && !/^[1-9]\d{0,4}$/.test(values.keep)) throw new Error(usage)
	const began = Date.now()
	const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
		version: string
	}
	const show = { database: progressLine('Database'), files: progressLine('Files') }
	let tableBytes = 0
	const made = await withSite(
		() =>
			makeBackup({
				to: resolve(process.env.INIT_CWD ?? '.', values.to),
				// Backups are counted in a folder: one file would be overwritten each night.
				isFolder: values.keep !== undefined || values.to.endsWith('/'),
				passphrase: config().BACKUP_PASSPHRASE ?? null,
				dataDir: config().dataDir,
				version,
				onProgress: (what, done, total) => {
					if (what === 'database') tableBytes = total
					show[what](done, total)
				},
				signal: stopping.signal,
			}),
		{ migrates: false },
	)
	await nameArchive(made.file, values.verify ? (file) => verify(file, 2 * tableBytes + made.bytes) : undefined)
	const seconds = ((Date.now() - began) / 1_000).toFixed(1)
	process.stdout.write(
		`\n${made.file}: ${pluralize(made.rows, 'row', 'rows')} and ${pluralize(made.files, 'file', 'files')} in ` +
			`${(made.bytes / 1e6).toFixed(1)} MB${values.verify ? ', restored once to try it' : ''}, in ${seconds} s.\n`,
	)
	if (values.keep !== undefined) {
		const removed = await removeOldBackups(dirname(made.file), Number(values.keep), basename(made.file))
		if (removed.length > 0) process.stdout.write(`Removed: ${removed.join(', ')}\n`)
	}
	if (process.env.AUTH_SECRET || process.env.VAPID_PRIVATE_KEY)
		process.stdout.write('Keep the settings AUTH_SECRET and VAPID_PRIVATE_KEY as well: they are not in the backup.\n')
	// Machine-readable result on the last line.
	if (values.json) process.stdout.write(`${JSON.stringify(made)}\n`)
} catch (error) {
	const cause: unknown = stopping.signal.aborted ? stopping.signal.reason : error
	process.stderr.write(`${cause instanceof Error ? cause.message : String(cause)}\n`)
	process.exitCode = 1
}

/**
 * Restores the backup into a temporary folder, which is deleted afterwards, also after a stop signal: it contains the site
 * without encryption.
 * @param needed bytes that this takes: tables with their indexes, and the pictures, which are not compressed in the file
 * @throws Error when that fails
 */
async function verify(file: string, needed: number): Promise<void> {
	stopping.signal.throwIfAborted()
	const scratch = await makeTrialFolder(dirname(file), join(config().dataDir, 'backups'), needed)
	try {
		// With no other settings, so that neither the site's database nor its bucket is written to.
		const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !settingNames.includes(name)))
		const child = spawn(process.execPath, [...process.execArgv, 'scripts/restore.ts', file, '--trial'], {
			env: { ...env, BACKUP_PASSPHRASE: config().BACKUP_PASSPHRASE, DATA_DIR: join(scratch, 'site') },
			stdio: ['ignore', 'ignore', 'pipe'],
		})
		stopping.signal.addEventListener('abort', () => child.kill())
		const [words, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')])
		stopping.signal.throwIfAborted()
		const reason = words.trim().split('\n').at(-1) || `the command ended with ${code}`
		if (code !== 0) throw new Error(`The backup could not be restored, so it was not kept: ${reason}`)
	} finally {
		// PostgreSQL may still write while it ends.
		rmSync(scratch, { recursive: true, force: true, maxRetries: 10, retryDelay: 200 })
	}
}
