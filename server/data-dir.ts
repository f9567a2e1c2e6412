import {
	accessSync,
	closeSync,
	constants,
	fchmodSync,
	fstatSync,
	lstatSync,
	mkdirSync,
	openSync,
	readdirSync,
	type Stats,
	statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { diskError } from '../app/lib/disk-error.server.ts'

/**
 * Makes the data directory, or takes what is there away from the eyes of other accounts: from here on, whatever this process
 * and its children make is theirs alone (umask), and what an earlier version left readable is closed.
 * @param dataDir absolute path
 * @throws Error with one sentence when it cannot be used
 */
export function prepareDataDir(dataDir: string): void {
	try {
		// PostgreSQL of a root start passes through what stands above.
		mkdirSync(dirname(dataDir), { recursive: true, mode: 0o711 })
		process.umask(0o077)
		mkdirSync(dataDir, { recursive: true })
		closeFolder(dataDir)
		accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
		for (const name of readdirSync(dataDir)) closeEntry(join(dataDir, name))
	} catch (error) {
		const why = diskError(error) ?? (error instanceof Error ? error.message : String(error))
		throw new Error(`The data directory ${dataDir} cannot be used: ${why}. Choose another with DATA_DIR.`)
	}
}

/** The account `postgres` of a root start passes through (0710, see `findOwner`); nobody else enters. */
function closeFolder(dataDir: string): void {
	const own = process.geteuid?.()
	const requireOwn = ({ uid }: Stats) => {
		if (own !== undefined && uid !== own)
			throw new Error(`it belongs to another account (uid ${uid}); run DevQuad as that account`)
	}
	// Who may not open it is told the same; what was opened is looked at again, as it may have been replaced in between.
	requireOwn(statSync(dataDir))
	const fd = openSync(dataDir, constants.O_RDONLY | constants.O_DIRECTORY)
	try {
		const stat = fstatSync(fd)
		requireOwn(stat)
		const { uid, gid, mode } = stat
		const isPassable = uid === 0 && gid !== 0 && (mode & 0o777) === 0o710
		if (!isPassable && (mode & 0o777) !== 0o700) fchmodSync(fd, 0o700)
	} finally {
		closeSync(fd)
	}
}

/**
 * Takes all rights from group and others. What lies below a folder is looked at only when the folder itself was open to others:
 * it is closed last, so that a tree of a million pictures is walked once, and again only when that was interrupted.
 */
function closeEntry(path: string): void {
	const stat = lstatSync(path)
	if ((stat.mode & 0o077) === 0 || !(stat.isFile() || stat.isDirectory())) return
	if (stat.isDirectory()) for (const name of readdirSync(path)) closeEntry(join(path, name))
	// Never through a symbolic link, should one have come in its place.
	const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
	try {
		fchmodSync(fd, stat.mode & 0o700)
	} catch (error) {
		// What belongs to another account, as PostgreSQL's files may, is that account's to close.
		if ((error as NodeJS.ErrnoException).code !== 'EPERM') throw error
	} finally {
		closeSync(fd)
	}
}
