import { randomBytes } from 'node:crypto'
import { linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Config, config } from '~/config.server.ts'

/**
 * What sessions are signed with: AUTH_SECRET, or a secret that is made once and kept in the data directory, readable by its
 * owner alone. Of several processes that start at once, one writes it and all read the same.
 */
export function authSecret({ AUTH_SECRET, dataDir }: Pick<Config, 'AUTH_SECRET' | 'dataDir'> = config()): string {
	if (AUTH_SECRET) return AUTH_SECRET
	const file = join(dataDir, 'auth-secret')
	const mine = `${file}.${process.pid}.${randomBytes(4).toString('hex')}`
	writeFileSync(mine, randomBytes(32).toString('base64url'), { mode: 0o600 })
	try {
		// A link appears whole or not at all, and never over another's.
		linkSync(mine, file)
	} catch (error) {
		if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
	} finally {
		rmSync(mine, { force: true })
	}
	return readFileSync(file, 'utf8').trim()
}
