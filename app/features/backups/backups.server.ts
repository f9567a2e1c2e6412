import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { basename, isAbsolute, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { childEnvironment, config } from '~/config.server.ts'
import type { SetupStanding } from '~/features/administration/setup/setup.view.ts'
import { Invalid } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { oldBackups } from '~/platform/backup/backup.server.ts'
import { gauge } from '~/platform/metrics/metrics.server.ts'
import {
	boxSetting,
	numberSetting,
	type SettingValues,
	secretSetting,
	settingSection,
	textSetting,
} from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { beginBackup, deleteOldRuns, endBackup, findLastRun, lastBackupAt } from './backups.queries.server.ts'
import { openBucket } from './bucket.server.ts'

/** Days that the list of backups remembers. */
const REMEMBERED_DAYS = 400
const MIN_PASSPHRASE = 12
/** Characters of what a failed backup said that are stored. */
const MAX_ERROR = 500

const settings = {
	isOn: boxSetting({
		label: 'Make a backup every day',
		hint: 'Each is tried at once by a restore into an empty folder.',
	}),
	hour: numberSetting({ label: 'Hour (UTC)', default: 3, min: 0, max: 23 }),
	keep: numberSetting({ label: 'How many are kept', default: 14, min: 1, max: 365 }),
	folder: textSetting({
		label: 'Folder on the server',
		hint: 'Where backups are written, such as /var/backups/devquad. Without one, they are beside the site’s other files, and go with its disk. Not used with a bucket.',
		maxLength: 500,
	}),
	bucket: textSetting({ label: 'Bucket', hint: 'The name of a bucket that speaks S3, of its own for backups.' }),
	endpoint: textSetting({ label: 'Address of the bucket’s service', hint: 'Empty for Amazon’s.' }),
	region: textSetting({ label: 'Region', default: 'us-east-1' }),
	accessKeyId: textSetting({ label: 'Access key ID' }),
	secretAccessKey: secretSetting({ label: 'Secret access key' }),
	passphrase: secretSetting({
		label: 'Passphrase',
		hint: 'Encrypts backups; needed for a bucket. Keep it elsewhere as well: without it a backup is lost.',
		environment: 'BACKUP_PASSPHRASE',
	}),
}

type BackupSettings = SettingValues<typeof settings>

/** What admins decide about backups, at /admin/settings. */
export const backupSection = settingSection({
	name: 'backups',
	title: 'Backups',
	about: 'One file with the whole site every night: when, where, and how many are kept.',
	settings,
	check: checkPlace,
})

gauge(
	'devquad_backup_age_seconds',
	'Seconds since the newest scheduled backup was begun; nothing where there is none.',
	async () => {
		const last = await lastBackupAt()
		return last ? [[{}, (Date.now() - last.getTime()) / 1_000]] : []
	},
	{ together: 'max' },
)

/**
 * Tries the place before it is saved, by a small file that is removed at once.
 * @throws Invalid with the setting that is wrong
 */
async function checkPlace(values: BackupSettings): Promise<void> {
	const { isOn, bucket, passphrase, folder } = values
	if (passphrase && passphrase.length < MIN_PASSPHRASE)
		throw invalid('passphrase', `Enter at least ${MIN_PASSPHRASE} characters.`)
	if (!isOn) return
	const name = `.devquad-${randomUUID()}`
	if (bucket) {
		if (!passphrase) throw invalid('passphrase', 'Enter a passphrase: a bucket is a machine of somebody else.')
		try {
			const opened = await openBucket(values)
			await opened.write(name, 'A trial of the settings of backups, removed at once.')
			await opened.remove(name)
		} catch (error) {
			throw invalid('bucket', `The bucket cannot be written: ${wordsOf(error)}.`)
		}
		return
	}
	if (folder && !isAbsolute(folder)) throw invalid('folder', 'Enter the whole path, which begins with a slash.')
	try {
		const place = await folderOf(values)
		await writeFile(join(place, name), '')
		await rm(join(place, name))
	} catch (error) {
		throw invalid('folder', `The site cannot write there: ${wordsOf(error)}.`)
	}
}

function invalid(field: keyof BackupSettings, words: string): Invalid {
	return new Invalid(words, { [field]: words })
}

/**
 * Makes a backup if one is due; called every hour, in one process of the site. What fails is noted, shown among failed jobs, and tried
 * again in the next hour.
 * @throws Error with why there is none
 */
export async function backUpWhenDue(now = new Date()): Promise<void> {
	const settings = siteSettings(backupSection)
	if (!settings.isOn || !isDue(now, settings.hour, await lastBackupAt())) return
	await backUp(settings)
}

/** How backups stand, for the checklist of administration. Those that are made elsewhere are not known here. */
export async function lookAtBackups(): Promise<SetupStanding> {
	if (!siteSettings(backupSection).isOn)
		return {
			state: 'usual',
			words: 'The site makes none. Keep this only where the whole server is backed up otherwise.',
		}
	const last = await findLastRun()
	if (!last) return { state: 'open', words: 'They are on, and the first has not been made yet.' }
	if (last.error !== null) return { state: 'open', words: `The last one failed: ${last.error}` }
	return {
		state: 'done',
		words: `Every day. The last one was made on ${last.ended_at?.toISOString().slice(0, 10)}, and tried.`,
	}
}

/** Whether the hour of the day has come since the last backup was begun. @param hour of UTC */
export function isDue(now: Date, hour: number, last: Date | null): boolean {
	const wanted = new Date(now)
	wanted.setUTCHours(hour, 0, 0, 0)
	if (wanted > now) wanted.setUTCDate(wanted.getUTCDate() - 1)
	// Nobody waits for tomorrow who has just asked for backups.
	return last === null || last < wanted
}

async function backUp(settings: BackupSettings): Promise<void> {
	const id = await beginBackup()
	if (id === null) return
	try {
		const made = await makeAndTry(settings)
		const place = settings.bucket ? await moveToBucket(settings, made.file) : made.file
		await endBackup(id, { file: place, bytes: made.bytes })
		log.info({ bytes: made.bytes }, 'a scheduled backup was made, and restored once to try it')
		await deleteOldRuns(REMEMBERED_DAYS)
	} catch (error) {
		const words = wordsOf(error)
		await endBackup(id, { error: words.slice(0, MAX_ERROR) })
		throw new Error(`The scheduled backup failed: ${words}`, { cause: error })
	}
}

/**
 * Runs the command that also people run: it backs up, and restores what it made into a PostgreSQL of its own. In another process, as the
 * one that serves has others to answer.
 */
async function makeAndTry(settings: BackupSettings): Promise<{ file: string; bytes: number }> {
	const keeps = settings.bucket ? [] : ['--keep', String(settings.keep)]
	const args = ['scripts/backup.ts', '--to', await folderOf(settings), '--json', ...keeps]
	const child = spawn(process.execPath, ['--import', './scripts/support/alias.mjs', ...args], {
		stdio: ['ignore', 'pipe', 'pipe'],
		env: childEnvironment({ BACKUP_PASSPHRASE: settings.passphrase || undefined }),
	})
	const [output, errors, [code]] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')])
	if (code !== 0) throw new Error(errors.trim().split('\n').at(-1) || `the command ended with ${code}`)
	return JSON.parse(output.trim().split('\n').at(-1) ?? '') as { file: string; bytes: number }
}

/** Sends a backup to the bucket, removes the oldest there, and the file here. @returns where it stands */
async function moveToBucket(settings: BackupSettings, file: string): Promise<string> {
	const name = basename(file)
	try {
		const bucket = await openBucket(settings)
		await bucket.send(name, file)
		for (const old of oldBackups(await bucket.list(), settings.keep)) await bucket.remove(old)
		return `${settings.bucket}/${name}`
	} finally {
		await rm(file, { force: true })
	}
}

async function folderOf({ bucket, folder }: BackupSettings): Promise<string> {
	const place = bucket || !folder ? join(config().dataDir, 'backups') : folder
	await mkdir(place, { recursive: true, mode: 0o700 })
	return place
}

function wordsOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error)
	const below = error.cause instanceof Error ? `: ${error.cause.message}` : ''
	return `${error.message}${below}`.replace(/\.$/, '')
}
