import { config } from '~/config.server.ts'
import { lockAdmin } from '~/features/administration/admins.server.ts'
import { addLogRow } from '~/features/moderation/log.queries.server.ts'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { Conflict } from '~/lib/errors.ts'
import { requireAdmin, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { archivingLag, readArchivingState } from '~/platform/backup/archiving-state.server.ts'
import { restoredAt, unmarkRestored } from '~/platform/backup/restore-mark.queries.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { addJob } from '~/platform/jobs/jobs.server.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { isBackupRunning, lastBackupAt, listRuns } from './backups.queries.server.ts'
import { backupSection } from './backups.server.ts'
import type { ArchivingView, BackupsView } from './runs.view.ts'

declare module '~/platform/jobs/jobs.server.ts' {
	interface Jobs {
		'back-up-now': null
	}
}

const SHOWN_RUNS = 30
/** Seconds of delay after which the page reports that archiving is behind. */
const LATE_SECONDS = 90

/** The last runs, when the newest backup was made, whether they are scheduled, and the continuous archive. @throws NotAllowed */
export async function readBackups(viewer: Viewer): Promise<BackupsView> {
	requireAdmin(viewer)
	const [newest, runs, archive, restored] = await Promise.all([
		lastBackupAt(),
		listRuns(SHOWN_RUNS),
		readArchive(),
		restoredAt(),
	])
	return {
		isScheduled: siteSettings(backupSection).isOn,
		newest: newest?.toISOString() ?? null,
		runs,
		archive,
		restoredAt: restored?.toISOString() ?? null,
	}
}

/** Confirms that this restored site has replaced the one that the backup is of, so that it may remove old backups. @throws NotAllowed */
export async function confirmRestore(viewer: Viewer): Promise<void> {
	const actor = requireAdmin(viewer)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, actor)
			await unmarkRestored(trx)
			await addLogRow(trx, { actorId: actor.id, act: 'confirm the restore', ...aboutBackups(actor) })
		})
}

/** Queues a backup. @throws NotAllowed; Conflict while one is running */
export async function requestBackup(viewer: Viewer): Promise<void> {
	const actor = requireAdmin(viewer)
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockAdmin(trx, actor)
			if (await isBackupRunning(trx))
				throw new Conflict('A backup is already running. It will appear here when it is done.')
			await addJob('back-up-now', null, trx)
			await addLogRow(trx, { actorId: actor.id, act: 'back up', ...aboutBackups(actor) })
		})
}

function aboutBackups({ id }: SignedIn) {
	return { kind: MEMBER_SUBJECT, targetId: id, memberId: id, title: 'Backups' }
}

async function readArchive(): Promise<ArchivingView> {
	const { isContinuous } = siteSettings(backupSection)
	const { dataDir, DATABASE_URL } = config()
	const nothing = { folder: null, upTo: null, baseAt: null, baseBytes: null }
	if (DATABASE_URL)
		return {
			...nothing,
			state: 'off',
			words: 'This site uses an external database (DATABASE_URL), which its operator has to archive.',
		}
	if (!isContinuous)
		return {
			...nothing,
			state: 'off',
			words: 'It is off: if the disk fails, everything since the last backup is lost.',
		}
	const [state, lag] = await Promise.all([readArchivingState(dataDir), archivingLag(dataDir)])
	if (!state) return { ...nothing, state: 'begins', words: 'It begins within seconds.' }
	const { folder, base, last, trouble, gapSince } = state
	const shown = { folder, upTo: last?.at ?? null, baseAt: base?.at ?? null, baseBytes: base?.bytes ?? null }
	if (trouble) return { ...shown, state: 'behind', words: trouble.words }
	if ((lag ?? 0) > LATE_SECONDS)
		return { ...shown, state: 'behind', words: 'The archive has not been updated for a while.' }
	if (gapSince)
		return { ...shown, state: 'behind', words: 'A part is missing, so a full copy of the database is being made.' }
	if (!base) return { ...shown, state: 'begins', words: 'The database is being copied for the first time.' }
	return { ...shown, state: 'well', words: 'It is up to date: if the disk fails, at most the last minute is lost.' }
}
