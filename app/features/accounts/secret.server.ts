import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Config, config } from '~/config.server.ts'
import { madeOnce } from '~/lib/made-once.server.ts'

/** What sessions are signed with: AUTH_SECRET, or a secret that is made once and kept in the data directory. */
export function authSecret({ AUTH_SECRET, dataDir }: Pick<Config, 'AUTH_SECRET' | 'dataDir'> = config()): string {
	return AUTH_SECRET ?? madeOnce(join(dataDir, 'auth-secret'), () => randomBytes(32).toString('base64url'))
}
