import { randomUUID } from 'node:crypto'
import { lstat, readdir, rm, stat, statfs, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { diskError } from '~/lib/system-errors.ts'
import { archivingLag, readArchivingState } from '~/platform/backup/archiving-state.server.ts'
import { diskStateOf, fileStateOf } from '~/platform/storage/disk.server.ts'
import { errorMessageOf, type Finding, findings } from './finding.ts'

const directory = findings('Data directory')
const disk = findings('Disk')
const archive = findings('Continuous archive')

/** Seconds that the archive may lag behind before it is wrong. */
const LATE_SECONDS = 90

/** Files that only the site's account may read. */
const secrets = ['auth-secret', 'vapid-private-key', 'postgres-password', 'postgres-admin-password']

/**
 * The reason why DATA_DIR cannot be used: it is not there, or belongs to another account; null where it can. With one, no further
 * check may run: what it writes, such as a missing key, would belong to an account that is not the site's.
 */
export async function findDataDirFault(dataDir: string): Promise<Finding | null> {
	const own = process.geteuid?.()
	const known = await stat(dataDir).catch(() => null)
	if (!known)
		return directory.fault(`DATA_DIR, ${dataDir}, is not there. The first start of the site makes it; then ask again.`)
	if (!known.isDirectory()) return directory.fault(`DATA_DIR, ${dataDir}, is not a folder.`)
	if (own === undefined || known.uid === own) return null
	return directory.fault(
		`${dataDir} belongs to another account (uid ${known.uid}, and this is ${own}). Run this as the account of the site, such as with sudo -u devquad.`,
	)
}

/** Checks DATA_DIR: its owner, who may read it, and whether it can be written. Changes nothing. */
export async function checkDataDirectory(dataDir: string): Promise<Finding[]> {
	const fault = await findDataDirFault(dataDir)
	if (fault) return [fault]
	const found: Finding[] = []
	// When root runs the site, PostgreSQL's account passes through.
	const mode = (await stat(dataDir)).mode & 0o777
	if ((mode & 0o077) !== 0 && !(process.geteuid?.() === 0 && mode === 0o710))
		found.push(directory.fault(`Other accounts may enter ${dataDir}. Close it: chmod 700 ${dataDir}`))
	for (const name of await readdir(dataDir)) {
		const entry = await lstat(join(dataDir, name))
		if (secrets.includes(name) && (entry.mode & 0o077) !== 0)
			found.push(directory.fault(`Other accounts may read ${name}. Close it: chmod 600 ${join(dataDir, name)}`))
	}
	const probe = join(dataDir, `.doctor-${randomUUID()}`)
	try {
		await writeFile(probe, '')
	} catch (error) {
		found.push(directory.fault(`Nothing can be written into ${dataDir}: ${diskError(error) ?? errorMessageOf(error)}.`))
	} finally {
		await rm(probe, { force: true })
	}
	return found.length > 0 ? found : [directory.ok(`${dataDir} can be written, and no other account may read it.`)]
}

/** Reports the free space on DATA_DIR's disk. */
export async function checkDisk(dataDir: string): Promise<Finding[]> {
	const { bavail, blocks, bsize, ffree, files } = await statfs(dataDir)
	return [assessDisk(bavail * bsize, blocks * bsize), ...assessFiles(ffree, files)]
}

/** @param left bytes that can still be written @param whole bytes of the disk */
export function assessDisk(left: number, whole: number): Finding {
	const words = `${(left / 1e9).toFixed(1)} of ${(whole / 1e9).toFixed(1)} GB are left on the disk of DATA_DIR.`
	const state = diskStateOf(left, whole)
	if (state === 'full') return disk.fault(`${words} Nothing can be stored any more: make room.`)
	if (state === 'nearly-full') return disk.warning(`${words} Make room before it is full.`)
	return disk.ok(words)
}

/** Some file systems limit the number of files. @param left how many can still be created @param whole the limit; 0 where there is none */
function assessFiles(left: number, whole: number): Finding[] {
	if (fileStateOf(left, whole) === null) return []
	return [disk.fault(`The file system of DATA_DIR has room for ${left} more files only (df -i).`)]
}

/** Reports the state of the continuous archive, from the file that the site writes; nothing where it is off. */
export async function checkArchive(dataDir: string): Promise<Finding[]> {
	const [state, lag] = await Promise.all([readArchivingState(dataDir), archivingLag(dataDir)])
	if (!state || lag === null) return []
	const place = state.folder ?? state.place
	if (state.trouble) return [archive.fault(`Since ${state.trouble.since} it fails in ${place}: ${state.trouble.words}`)]
	if (lag > LATE_SECONDS)
		return [
			archive.fault(`Nothing was written to ${place} for ${Math.round(lag)} s. Does the site run? Its log says more.`),
		]
	if (state.gapSince || !state.base)
		return [
			archive.warning(`The database is being copied whole into ${place}; until then it cannot be restored to now.`),
		]
	return [archive.ok(`It is up to date in ${place}.`)]
}
