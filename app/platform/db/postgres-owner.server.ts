import { spawnSync } from 'node:child_process'
import {
	closeSync,
	constants,
	fchmodSync,
	fchownSync,
	fstatSync,
	lstatSync,
	mkdirSync,
	openSync,
	type Stats,
	statSync,
} from 'node:fs'
import { codeOf } from '~/lib/system-errors.ts'

/** The account that runs PostgreSQL: ours, or `postgres` when we are root, as PostgreSQL refuses to run as root. */
export interface PostgresOwner {
	uid?: number
	gid?: number
	/** The command prefix that runs a program as the owner. */
	prefix: string[]
}

/**
 * The account that runs PostgreSQL on this data directory. For root that is `postgres`, which is created when missing and gets the
 * right to pass through the directory (0710), not to list it.
 * @param postgres path of the server's program
 * @throws Error with one sentence when that account cannot be created, or cannot enter the directory
 */
export function findPostgresOwner(dataDir: string, postgres: string): PostgresOwner {
	if (process.getuid?.() !== 0) return { prefix: [] }
	if (numberOf(['-u', 'postgres']) === undefined)
		spawnSync('useradd', ['--system', '--no-create-home', '--shell', '/usr/sbin/nologin', '--user-group', 'postgres'])
	const uid = numberOf(['-u', 'postgres'])
	const gid = numberOf(['-g', 'postgres'])
	if (uid === undefined || gid === undefined)
		throw new Error(
			'PostgreSQL refuses to run as root, and the account "postgres" could not be made. Run DevQuad as another user.',
		)
	withFolder(dataDir, constants.O_DIRECTORY, (fd, { gid: group, uid: user, mode }) => {
		if (user !== 0 || (group === gid && (mode & 0o777) === 0o710)) return
		fchownSync(fd, 0, gid)
		fchmodSync(fd, 0o710)
	})
	const drop = ['setpriv', `--reuid=${uid}`, `--regid=${gid}`, '--clear-groups']
	// A folder such as /root is closed to other accounts. This capability lets PostgreSQL pass through it and read, but not write.
	const passing = [...drop, '--inh-caps=+dac_read_search', '--ambient-caps=+dac_read_search']
	for (const prefix of [drop, passing]) {
		const [program = '', ...rest] = prefix
		const reach = spawnSync(program, [...rest, 'env', '-C', dataDir, postgres, '--version'])
		if (reach.status === 0) return { uid, gid, prefix }
	}
	throw new Error(
		`PostgreSQL runs as the account "postgres", which cannot enter ${dataDir}. Choose another DATA_DIR, such as /var/lib/devquad.`,
	)
}

/**
 * Creates a folder that only its owner may enter, or checks an existing one. Root hands over only folders that it made itself: a
 * foreign folder, or one behind a symbolic link, never changes its owner.
 * @throws Error with one sentence when the folder belongs to another account
 */
export function ownFolder(path: string, owner: PostgresOwner): void {
	mkdirOnce(path)
	const expectedUid = owner.uid ?? process.getuid?.()
	if (expectedUid === undefined) return
	if (lstatSync(path).isSymbolicLink()) {
		// For a cluster on another disk, the operator has set the owner manually.
		if (isPrivateFolder(statSync(path), expectedUid)) return
		throw new Error(
			`${path} is a symbolic link to a folder that is not private to the account that runs PostgreSQL. Remove the link.`,
		)
	}
	withFolder(path, constants.O_DIRECTORY | constants.O_NOFOLLOW, (fd, { uid }) => {
		if (uid !== expectedUid) {
			if (owner.uid === undefined || owner.gid === undefined || uid !== 0)
				throw new Error(`${path} belongs to another account (uid ${uid}). Run DevQuad as that account.`)
			fchownSync(fd, owner.uid, owner.gid)
		}
		fchmodSync(fd, 0o700)
	})
}

/** Whether this is a folder, and no link to one, that the owner alone may enter. */
export function isOwnFolder(path: string, owner: PostgresOwner): boolean {
	try {
		return isPrivateFolder(lstatSync(path), owner.uid ?? process.getuid?.())
	} catch {
		return false
	}
}

function isPrivateFolder(stat: Stats, uid: number | undefined): boolean {
	return stat.isDirectory() && (stat.mode & 0o077) === 0 && stat.uid === uid
}

function mkdirOnce(path: string): void {
	try {
		mkdirSync(path, { mode: 0o700 })
	} catch (error) {
		if (codeOf(error) !== 'EEXIST') throw error
	}
}

function withFolder(path: string, flags: number, work: (fd: number, stat: Stats) => void): void {
	const fd = openSync(path, constants.O_RDONLY | flags)
	try {
		work(fd, fstatSync(fd))
	} finally {
		closeSync(fd)
	}
}

function numberOf(args: string[]): number | undefined {
	const found = spawnSync('id', args, { encoding: 'utf8' })
	return found.status === 0 ? Number(found.stdout) : undefined
}
