import { createHash, randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { syncFolderSync } from './folders.server.ts'
import { codeOf } from './system-errors.ts'

/**
 * The content of a file that is created on first use, readable by its owner only. Of several processes that need it at once, one
 * writes it, and all read the same. It is on disk before anybody uses it.
 * @param make creates the content if there is no file yet
 * @throws Error with one sentence when the file is empty, as versions up to 0.3.0 left it where the power was cut, or is a link to a
 * missing file, such as one on a disk that is not mounted
 */
export function readOrCreateFile(file: string, make: () => string): string {
	return read(file) ?? write(file, make())
}

function write(file: string, text: string): string {
	const mine = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
	writeFileSync(mine, text, { mode: 0o600, flush: true })
	try {
		// A link appears atomically, and never replaces another.
		linkSync(mine, file)
	} catch (error) {
		if (codeOf(error) !== 'EEXIST') throw error
	} finally {
		rmSync(mine, { force: true })
	}
	syncFolderSync(dirname(file))
	const stored = read(file)
	if (stored === null)
		throw new Error(`${file} cannot be read: it leads to a file that is missing, or somebody has just removed it.`)
	return stored
}

function read(file: string): string | null {
	let text: string
	try {
		text = readFileSync(file, 'utf8').trim()
	} catch (error) {
		if (codeOf(error) !== 'ENOENT') throw error
		return null
	}
	if (text === '')
		throw new Error(`${file} is empty. Restore it from a backup, or remove it, and the next start creates another one.`)
	return text
}

/** A token for a link or a cookie: 192 random bits as 32 characters of base64url. */
export function newToken(): string {
	return randomBytes(24).toString('base64url')
}

/** The hash of a token as stored in the database: SHA-256 in base64url. Enough for random tokens, never for passwords. */
export function hashToken(token: string): string {
	return createHash('sha256').update(token).digest('base64url')
}
