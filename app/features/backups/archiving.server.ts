import { closeSync } from 'node:fs'
import { join } from 'node:path'
import { config } from '~/config.server.ts'
import { lockFile } from '~/lib/file-lock.server.ts'
import { log } from '~/lib/log.server.ts'
import { version } from '~/lib/version.ts'
import { Archiver, type ArchivingSettings } from '~/platform/backup/archiver.server.ts'
import { archivingLag } from '~/platform/backup/archiving-state.server.ts'
import { isArchiving } from '~/platform/db/wal-archiving.server.ts'
import { gauge } from '~/platform/metrics/metrics.server.ts'
import { areSettingsRead, siteSettings } from '~/platform/settings/settings.server.ts'
import { backupSection, obstacleToBackups } from './backups.server.ts'
import { runScript } from './run-script.server.ts'

const LOOK_EVERY_MS = 1_000
/** Milliseconds between the attempts of other processes to take over archiving. */
const TAKE_OVER_EVERY_MS = 10_000

gauge(
	'devquad_archive_lag_seconds',
	'Seconds for which the continuous archive has been behind or unchecked; absent where it is off.',
	async () => {
		const lag = await archivingLag(config().dataDir)
		return lag === null ? [] : [[{}, lag]]
	},
	{ together: 'max' },
)

/** The settings of archiving; null if it is off or the database is not the built-in one. */
function archivingSettings(): ArchivingSettings | null {
	const { isContinuous, archiveFolder, folder, passphrase, archiveKeep } = siteSettings(backupSection)
	const place = archiveFolder || folder
	if (!isContinuous || !place || config().DATABASE_URL) return null
	return { place, passphrase: passphrase || null, keep: archiveKeep }
}

/** Archives the WAL of the built-in database, in the one process of the site that holds the lock. @returns a function that stops it */
export async function startArchiving(): Promise<(() => Promise<void>) | undefined> {
	const { dataDir, DATABASE_URL } = config()
	if (DATABASE_URL) return undefined
	const stopping = new AbortController()
	const archiver = new Archiver({
		dataDir,
		version: version.number,
		makeBase: (folder) => makeBase(folder, stopping.signal),
	})
	const keeper = new ArchivingTurn(join(dataDir, 'site.archive.lock'))
	const turn = async () => {
		while (!stopping.signal.aborted) {
			const settings = archivingSettings()
			// Until they are read all settings have their defaults, which would turn archiving off.
			const isDue = areSettingsRead() && (settings !== null || isArchiving(dataDir))
			const hasTurn = isDue && keeper.take()
			if (hasTurn) await archiver.look(settings, obstacleToBackups())
			await keeper.wait(hasTurn || !isDue ? LOOK_EVERY_MS : TAKE_OVER_EVERY_MS)
		}
	}
	const turning = turn()
	return async () => {
		stopping.abort()
		keeper.wake()
		await turning
		await archiver.settle()
		keeper.release()
	}
}

/**
 * Decides which process of a data directory archives, and paces it. Without file locks every process archives; they write the same files.
 */
class ArchivingTurn {
	readonly #file: string
	#held: number | 'unsupported' | null = null
	#hasFailed = false
	#wake: () => void = () => {}

	constructor(file: string) {
		this.#file = file
	}

	/** It never throws: a file that cannot be opened now, as with too many open files, may be at the next attempt. */
	take(): boolean {
		if (this.#held !== null) return true
		try {
			const lock = lockFile(this.#file)
			if (lock.state === 'held') this.#held = lock.fd
			else if (lock.state === 'unsupported') this.#held = 'unsupported'
			this.#hasFailed = false
		} catch (error) {
			if (!this.#hasFailed) log.error({ err: error }, 'continuous archiving waits for its lock')
			this.#hasFailed = true
		}
		return this.#held !== null
	}

	release(): void {
		if (typeof this.#held === 'number') closeSync(this.#held)
		this.#held = null
	}

	wait(milliseconds: number): Promise<void> {
		return new Promise((resolve) => {
			const timer = setTimeout(resolve, milliseconds).unref()
			this.#wake = () => {
				clearTimeout(timer)
				resolve()
			}
		})
	}

	wake(): void {
		this.#wake()
	}
}

/** In a child process, as copying, compressing and encrypting the cluster takes seconds of CPU. */
async function makeBase(folder: string, stop: AbortSignal): Promise<number> {
	const { bytes } = (await runScript('scripts/copy-cluster.ts', [folder], { stop })) as { bytes: number }
	return bytes
}
