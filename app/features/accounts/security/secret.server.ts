import { createHash, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Config, config } from '~/config.server.ts'
import { madeOnce } from '~/lib/made-once.server.ts'

/** What sessions are signed with: AUTH_SECRET, or a secret that is made once and kept in the data directory. */
export function authSecret({ AUTH_SECRET, dataDir }: Pick<Config, 'AUTH_SECRET' | 'dataDir'> = config()): string {
	return AUTH_SECRET ?? madeOnce(join(dataDir, 'auth-secret'), () => randomBytes(32).toString('base64url'))
}

/** A token for a link or a cookie: 192 random bits as 32 characters of base64url. */
export function newToken(): string {
	return randomBytes(24).toString('base64url')
}

/** What stands for a token in the database: SHA-256 in base64url. Enough for random tokens, never for passwords. */
export function hashToken(token: string): string {
	return createHash('sha256').update(token).digest('base64url')
}
