import {
	accessSync,
	closeSync,
	constants,
	fchmodSync,
	fstatSync,
	lstatSync,
	openSync,
	readdirSync,
	type Stats,
	statSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolderSync } from '../app/lib/folders.server.ts'
import { codeOf, diskError } from '../app/lib/system-errors.ts'

/**
 * Creates the data directory, or closes an existing one to other accounts. From here on, files of this process and its children are
 * private (umask), and files that an earlier version left readable are closed.
 * @param dataDir absolute path
 * @throws Error with one sentence when it cannot be used
 */
export function prepareDataDir(dataDir: string): void {
	try {
		// When root starts the site, PostgreSQL's account has to pass through the parent folders.
		makeFolderSync(dirname(dataDir), 0o711)
		process.umask(0o077)
		makeFolderSync(dataDir, 0o700)
		closeFolder(dataDir)
		accessSync(dataDir, constants.R_OK | constants.W_OK | constants.X_OK)
		for (const name of readdirSync(dataDir)) closeEntry(join(dataDir, name))
	} catch (error) {
		const why = diskError(error) ?? (error instanceof Error ? error.message : String(error))
		throw new Error(`The data directory ${dataDir} cannot be used: ${why}. Choose another with DATA_DIR.`)
	}
}

/** When root starts the site, the account `postgres` passes through (0710, see `findPostgresOwner`); no other account may enter. */
function closeFolder(dataDir: string): void {
	const own = process.geteuid?.()
	const requireOwn = ({ uid }: Stats) => {
		if (own !== undefined && uid !== own)
			throw new Error(`it belongs to another account (uid ${uid}); run DevQuad as that account`)
	}
	// Checked again after opening, as it may have been replaced in between.
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
 * Removes all rights of group and others. A folder's content is visited only if the folder itself was open to others; the folder is
 * closed last. So a tree of a million pictures is walked once, and again only after an interruption.
 */
function closeEntry(path: string): void {
	const stat = lstatSync(path)
	if ((stat.mode & 0o077) === 0 || !(stat.isFile() || stat.isDirectory())) return
	if (stat.isDirectory()) for (const name of readdirSync(path)) closeEntry(join(path, name))
	// Never through a symbolic link that may have replaced it.
	const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
	try {
		fchmodSync(fd, stat.mode & 0o700)
	} catch (error) {
		// Files of another account, as PostgreSQL's may be, are that account's responsibility.
		if (codeOf(error) !== 'EPERM') throw error
	} finally {
		closeSync(fd)
	}
}
