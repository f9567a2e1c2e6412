import { statfs } from 'node:fs/promises'
import { config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import type { DiskState } from '~/lib/root-data.ts'
import { onDiskFull } from '~/platform/db/outage.server.ts'

/** Milliseconds between two checks of the disk; a write that failed because it is full counts for as long. */
const DISK_CHECK_INTERVAL_MS = 60_000
/** PostgreSQL writes its WAL in segments of 16 MB: with less than two of them left, it may stop at any moment. */
const FULL_BELOW_BYTES = 32 * 2 ** 20
/** Below this, admins are warned. */
const NEARLY_FULL_BELOW_BYTES = 500 * 2 ** 20
/** The same as a share of the disk; used for disks on which it is less than {@link SHARE_COUNTS_BELOW_BYTES}. */
const NEARLY_FULL_BELOW_SHARE = 0.05
const SHARE_COUNTS_BELOW_BYTES = 20 * 2 ** 30
/** Many file systems hold a limited number of files. With fewer left, PostgreSQL may not be able to make those of its WAL or of a sort. */
const FULL_BELOW_FILES = 100
/** Below this share of them, admins are warned. */
const NEARLY_FULL_BELOW_FILES_SHARE = 0.02

interface Seen {
	state: DiskState | null
	/** `performance.now()` of the last check. */
	checkedAt: number
	/** `performance.now()` of the last write that failed because the disk was full. */
	failedAt: number
}

const seen = remember<Seen>('disk', () => {
	const never = Number.NEGATIVE_INFINITY
	const initial = { state: null, checkedAt: never, failedAt: never }
	onDiskFull(() => {
		initial.failedAt = performance.now()
	})
	return initial
})

/** The state of DATA_DIR's disk; null when there is space, or when the system does not report it. The result is cached for a minute. */
export async function diskState(dataDir: string = config().dataDir): Promise<DiskState | null> {
	const now = performance.now()
	if (now - seen.checkedAt > DISK_CHECK_INTERVAL_MS) {
		seen.checkedAt = now
		seen.state = await readDisk(dataDir).catch(() => null)
		if (seen.state)
			log.warn(
				{ state: seen.state },
				'the disk of the data directory has little room left, or holds nearly as many files as it can (df -i)',
			)
	}
	// The database may be on another disk than the data directory; a failed write is noticed on either.
	return now - seen.failedAt < DISK_CHECK_INTERVAL_MS ? 'full' : seen.state
}

/** Checks the disk of this folder. */
export async function readDisk(folder: string): Promise<DiskState | null> {
	const { bavail, blocks, bsize, ffree, files } = await statfs(folder)
	const states = [diskStateOf(bavail * bsize, blocks * bsize), fileStateOf(ffree, files)]
	return states.find((state) => state === 'full') ?? states.find((state) => state !== null) ?? null
}

/** @param left bytes that may still be written @param whole bytes of the disk */
export function diskStateOf(left: number, whole: number): DiskState | null {
	if (left < FULL_BELOW_BYTES) return 'full'
	if (left < NEARLY_FULL_BELOW_BYTES) return 'nearly-full'
	return left < SHARE_COUNTS_BELOW_BYTES && left < whole * NEARLY_FULL_BELOW_SHARE ? 'nearly-full' : null
}

/** @param left how many files can still be created @param whole how many the file system can hold; 0 where there is no limit */
export function fileStateOf(left: number, whole: number): DiskState | null {
	if (whole === 0) return null
	if (left < FULL_BELOW_FILES) return 'full'
	return left < whole * NEARLY_FULL_BELOW_FILES_SHARE ? 'nearly-full' : null
}
