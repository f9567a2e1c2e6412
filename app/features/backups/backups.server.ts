import { randomUUID } from 'node:crypto'
import { readdir, rm, stat, writeFile } from 'node:fs/promises'
import { basename, dirname, isAbsolute, join } from 'node:path'
import { config } from '~/config.server.ts'
import type { SetupStatus } from '~/features/administration/setup/setup.view.ts'
import { fullDate, siteDay } from '~/lib/calendar.ts'
import { Invalid } from '~/lib/errors.ts'
import { makeFolder } from '~/lib/folders.server.ts'
import { log } from '~/lib/log.server.ts'
import { codeOf } from '~/lib/system-errors.ts'
import { archiveEnding, isArchiveOf } from '~/platform/backup/archive.server.ts'
import { backupMoment, oldBackups, removeOldBackups } from '~/platform/backup/backup.server.ts'
import { restoredAt } from '~/platform/backup/restore-mark.queries.server.ts'
import { gauge } from '~/platform/metrics/metrics.server.ts'
import { daysBefore, momentOf } from '~/platform/settings/region.server.ts'
import {
	checkboxSetting,
	numberSetting,
	type SettingValues,
	secretSetting,
	settingSection,
	textSetting,
} from '~/platform/settings/setting.ts'
import { isSecretLost, siteSettings } from '~/platform/settings/settings.server.ts'
import {
	beginBackup,
	deleteOldRuns,
	endBackup,
	endBrokenOff,
	findLastRun,
	lastBackupAt,
	lastSwitchedAt,
} from './backups.queries.server.ts'
import { openBucket } from './bucket.server.ts'
import { mailWhenOverdue } from './overdue.server.ts'
import { runScript } from './run-script.server.ts'

/** Days that the list of backups covers. */
const REMEMBERED_DAYS = 400
const MIN_PASSPHRASE = 12
/** Maximum length of a stored error, in characters. */
const MAX_ERROR = 500

const settings = {
	isOn: checkboxSetting({
		label: 'Make a backup every day',
		hint: 'Each backup is tested at once by restoring it into an empty folder.',
	}),
	hour: numberSetting({
		label: 'Hour',
		hint: 'In the site’s time zone: see Region and time zone.',
		default: 3,
		min: 0,
		max: 23,
	}),
	keep: numberSetting({ label: 'How many are kept', default: 14, min: 1, max: 365 }),
	folder: textSetting({
		label: 'Folder on the server',
		hint: 'Where backups are written, such as /var/backups/devquad, or better a mounted disk of another machine. If empty, they are on the site’s own disk, and are lost with it. Not used with a bucket.',
		maxLength: 500,
	}),
	bucket: textSetting({ label: 'Bucket', hint: 'The name of an S3-compatible bucket used only for backups.' }),
	endpoint: textSetting({ label: 'Endpoint of the storage service', hint: 'Leave it empty for Amazon S3.' }),
	region: textSetting({ label: 'Region', default: 'us-east-1' }),
	accessKeyId: textSetting({ label: 'Access key ID' }),
	secretAccessKey: secretSetting({ label: 'Secret access key' }),
	passphrase: secretSetting({
		label: 'Passphrase',
		hint: 'Encrypts backups; needed for a bucket. Keep it elsewhere as well: without it a backup is lost.',
		environment: 'BACKUP_PASSPHRASE',
	}),
	isContinuous: checkboxSetting({
		label: 'Archive continuously',
		hint: 'If the disk fails, at most the last minute is lost, and the site can be restored to any minute. Only with the built-in database.',
	}),
	archiveFolder: textSetting({
		label: 'Folder of the continuous archive',
		hint: 'On another disk than the site’s. If empty: the folder of the backups.',
		maxLength: 500,
	}),
	archiveKeep: numberSetting({ label: 'Days that can be restored', default: 7, min: 1, max: 90 }),
}

type BackupSettings = SettingValues<typeof settings>

/** The settings of backups, at /admin/settings. */
export const backupSection = settingSection({
	name: 'backups',
	title: 'Backups',
	about: 'One file with the whole site every night: when, where, and how many are kept.',
	settings,
	check: checkPlace,
})

gauge(
	'devquad_backup_age_seconds',
	'Seconds since the newest backup was begun, or without one since backups were turned on; nothing where there is neither.',
	async () => {
		const since = (await lastBackupAt()) ?? (await firstDueAt())
		return since ? [[{}, (Date.now() - since.getTime()) / 1_000]] : []
	},
	{ together: 'max' },
)

/** Since when a site without a backup waits for its first one; null where backups are off. */
async function firstDueAt(): Promise<Date | null> {
	return siteSettings(backupSection).isOn ? lastSwitchedAt(backupSection.name, 'isOn') : null
}

/** Tests the destination with a small file, before the settings are saved. @throws Invalid with the wrong setting */
async function checkPlace(values: BackupSettings): Promise<void> {
	const { isOn, bucket, passphrase, folder } = values
	if (passphrase && passphrase.length < MIN_PASSPHRASE)
		throw invalid('passphrase', `Enter at least ${MIN_PASSPHRASE} characters.`)
	if (values.isContinuous) await checkArchive(values)
	if (!isOn) return
	const name = `.devquad-${randomUUID()}`
	if (bucket) {
		if (!passphrase) throw invalid('passphrase', 'Enter a passphrase, because a bucket is on someone else’s machine.')
		try {
			const opened = await openBucket(values)
			await opened.list().catch((cause) => {
				throw new Error('Its files cannot be listed, so the oldest could not be removed', { cause })
			})
			await opened.write(name, 'A trial of the settings of backups, removed at once.')
			await opened.remove(name)
		} catch (error) {
			throw invalid('bucket', `The bucket cannot be used: ${wordsOf(error)}.`)
		}
		return
	}
	if (folder) await checkFolder('folder', folder)
}

/** @throws Invalid if there is nothing to archive, or no destination */
async function checkArchive({ archiveFolder, folder }: BackupSettings): Promise<void> {
	if (config().DATABASE_URL)
		throw invalid(
			'isContinuous',
			'This site uses an external database (DATABASE_URL). Its operator can archive it continuously.',
		)
	if (!archiveFolder && !folder)
		throw invalid(
			'archiveFolder',
			'Enter a folder on another disk. On the site’s own disk, the archive would be lost together with the site.',
		)
	await checkFolder(archiveFolder ? 'archiveFolder' : 'folder', archiveFolder || folder)
}

async function checkFolder(field: 'folder' | 'archiveFolder', folder: string): Promise<void> {
	if (!isAbsolute(folder)) throw invalid(field, 'Enter the full path, starting with a slash.')
	try {
		await makeFolder(folder)
		const trial = join(folder, `.devquad-${randomUUID()}`)
		await writeFile(trial, '')
		await rm(trial)
	} catch (error) {
		const isClosed = /^(EROFS|EACCES|EPERM)$/.test(codeOf(error))
		const advice = `The folder has to belong to the account of the site, and, if systemd runs the site, be in ReadWritePaths of its unit.`
		throw invalid(field, `The site cannot write there: ${wordsOf(error)}.${isClosed ? ` ${advice}` : ''}`)
	}
}

function invalid(field: keyof BackupSettings, words: string): Invalid {
	return new Invalid(words, { [field]: words })
}

/**
 * Makes a backup if one is due. Called every hour in one process of the site. A failure is recorded, listed among failed jobs, and retried
 * in the next hour. Where only older backups could not be removed, this is recorded with the backup, and retried after the next one.
 * @throws Error with the reason of either
 */
export async function backUpWhenDue(): Promise<void> {
	const settings = siteSettings(backupSection)
	if (!settings.isOn || !isBackupDue(new Date(), settings.hour, await lastBackupAt())) return
	await backUp(settings, { mayWait: true })
}

/**
 * Makes a backup at any hour. A failure, also to remove older ones, is recorded but not retried, as the admin who asked for it sees it.
 */
export async function runRequestedBackup(): Promise<void> {
	await backUp(siteSettings(backupSection)).catch((error) =>
		log.error({ err: error }, 'a backup failed, or older ones could not be removed'),
	)
}

/** The state of backups for the setup checklist. Backups made by other tools are unknown here. */
export async function getBackupStatus(): Promise<SetupStatus> {
	if (!siteSettings(backupSection).isOn)
		return {
			state: 'usual',
			words: 'The site makes no backups. Leave it so only if the whole server is backed up in another way.',
		}
	const last = await findLastRun()
	if (!last) return { state: 'open', words: 'Backups are on. The first one has not been made yet.' }
	if (last.error !== null) return { state: 'open', words: `The last one failed: ${last.error}` }
	if (last.trouble !== null)
		return { state: 'open', words: `The last one was made, but older ones could not be removed: ${last.trouble}` }
	if (await restoredAt())
		return {
			state: 'open',
			words: 'The site was restored. Old backups are not removed until you confirm that it has replaced the original.',
		}
	return {
		state: 'done',
		words: `Every day. The last one was made on ${last.ended_at && fullDate(siteDay(last.ended_at.getTime()))}, and tested.`,
	}
}

/** Whether the configured hour has passed since the last backup started. @param hour in the site's time zone */
export function isBackupDue(now: Date, hour: number, last: Date | null): boolean {
	const today = siteDay(now.getTime())
	const due = [today, daysBefore(today, 1)].map((day) => momentOf(day, hour)).find((moment) => moment <= now)
	// A site that has just turned backups on gets the first one at once.
	return last === null || (due !== undefined && last < due)
}

/** A backup that was made and tested. */
interface MadeBackup {
	file: string
	bytes: number
	/** When it was made, if an earlier run could not upload it; otherwise null. */
	madeAt: Date | null
}

/** @param options.mayWait whether it may be one that an earlier run could not upload */
async function backUp(settings: BackupSettings, { mayWait = false } = {}): Promise<void> {
	const broken = await endBrokenOff()
	if (broken !== null) await reportFailure(settings, broken, 'The process that was making it ended')
	const id = await beginBackup()
	if (id === null) return
	let trouble: string | null
	try {
		const obstacle = obstacleToBackups()
		if (obstacle) throw new Error(obstacle)
		const { file, bytes, madeAt } = (mayWait && (await findWaiting(settings))) || (await makeAndTry(settings))
		const place = settings.bucket ? await moveToBucket(settings, file) : file
		// It counts as made although an older one stays: if it were made again every hour, backups would fill the disk.
		trouble = await removeOldest(settings, file).then(() => null, wordsOf)
		// Only now, as two at a time would remove each other.
		await endBackup(id, { file: place, bytes, trouble: trouble?.slice(0, MAX_ERROR) ?? null, madeAt })
		log.info({ bytes }, 'a backup was made, and verified by restoring it')
	} catch (error) {
		const words = wordsOf(error)
		await endBackup(id, { error: words.slice(0, MAX_ERROR) })
		await reportFailure(settings, id, words)
		throw new Error(`The backup failed: ${words}`, { cause: error })
	}
	await deleteOldRuns(REMEMBERED_DAYS)
	if (trouble !== null) throw new Error(`The backup was made, but older ones could not be removed: ${trouble}`)
}

/** Tells admins of a failed run by mail once there has been no backup for long. One that was asked for while backups are off is not missed. */
async function reportFailure({ isOn }: BackupSettings, id: number, words: string): Promise<void> {
	if (isOn) await mailWhenOverdue(id, words, (await lastBackupAt()) ?? (await firstDueAt()))
}

/** Why nothing may be backed up or archived now, in one sentence: nothing that was encrypted before is written in the clear. */
export function obstacleToBackups(): string | null {
	return isSecretLost(backupSection, 'passphrase')
		? 'The saved passphrase cannot be read, as the site’s secret has changed. Save it again, or restore the secret.'
		: null
}

/** Runs the backup command, which also restores the new backup into a temporary PostgreSQL. */
async function makeAndTry(settings: BackupSettings): Promise<MadeBackup> {
	const args = ['--to', `${await folderOf(settings)}/`, '--json']
	const made = await runScript('scripts/backup.ts', args, { passphrase: settings.passphrase || undefined })
	return { ...(made as { file: string; bytes: number }), madeAt: null }
}

/** The newest backup that could not be uploaded; null if it is too old to count, or not encrypted with this passphrase. */
async function findWaiting(settings: BackupSettings): Promise<MadeBackup | null> {
	const { bucket, hour, passphrase } = settings
	if (!bucket) return null
	const folder = await folderOf(settings)
	const name = (await readdir(folder)).filter(backupMoment).sort().at(-1) ?? ''
	const madeAt = backupMoment(name)
	const now = new Date()
	if (!madeAt || madeAt > now || isBackupDue(now, hour, madeAt)) return null
	// A backup that is not encrypted would be opened by any passphrase.
	if (!name.endsWith(archiveEnding(passphrase || null))) return null
	const file = join(folder, name)
	return (await isArchiveOf(file, passphrase)) ? { file, bytes: (await stat(file)).size, madeAt } : null
}

/**
 * Uploads a backup to the bucket, and deletes the local file once all of it has arrived.
 * @returns its address
 * @throws Error that says where it waits for the next attempt
 */
async function moveToBucket(settings: BackupSettings, file: string): Promise<string> {
	const name = basename(file)
	await removeOldBackups(dirname(file), 1, name).catch((err) =>
		log.warn({ err }, 'earlier backups that were not uploaded could not be removed'),
	)
	try {
		await (await openBucket(settings)).send(name, file)
	} catch (error) {
		throw new Error(`It was made, but could not be uploaded: ${wordsOf(error)}. Until it can be, it is ${file}`)
	}
	await rm(file, { force: true })
	return `${settings.bucket}/${name}`
}

/**
 * Removes the oldest backups beyond those that are kept; none while the site may be a copy, restored for a trial, of the one that they
 * belong to. @param file the one that was just made, under its path before an upload */
async function removeOldest(settings: BackupSettings, file: string): Promise<void> {
	if (await restoredAt()) return
	const name = basename(file)
	if (!settings.bucket) {
		await rm(outgoingFolder(), { recursive: true, force: true })
		await removeOldBackups(dirname(file), settings.keep, name)
		return
	}
	const bucket = await openBucket(settings)
	for (const old of oldBackups(await bucket.list(), settings.keep, name)) await bucket.remove(old)
}

async function folderOf({ bucket, folder }: BackupSettings): Promise<string> {
	const place = bucket ? outgoingFolder() : folder || join(config().dataDir, 'backups')
	await makeFolder(place)
	return place
}

/** Where backups wait for their upload. */
function outgoingFolder(): string {
	return join(config().dataDir, 'backups', 'outgoing')
}

function wordsOf(error: unknown): string {
	if (!(error instanceof Error)) return String(error)
	const below = error.cause instanceof Error ? `: ${error.cause.message}` : ''
	return `${error.message}${below}`.replace(/\.$/, '')
}
