import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Config, config } from '~/config.server.ts'
import { madeOnce } from '~/lib/secrets.server.ts'

const IV_BYTES = 12
const TAG_BYTES = 16

type Settings = Pick<Config, 'AUTH_SECRET' | 'dataDir'>

/** What sessions are signed with: AUTH_SECRET, or a secret that is made once and stored in the data directory. */
export function authSecret({ AUTH_SECRET, dataDir }: Settings = config()): string {
	return AUTH_SECRET ?? madeOnce(join(dataDir, 'auth-secret'), () => randomBytes(32).toString('base64url'))
}

/**
 * Encrypts a secret that the site has to read again, such as the password of another service, for the database (AES-256-GCM).
 * The key is derived from the secret of the data directory, so a copy of the database alone tells nothing.
 * @param purpose what it is for, such as a table, a column and a row: decrypting it for anything else fails
 */
export function encryptSecret(purpose: string, text: string): string {
	const iv = randomBytes(IV_BYTES)
	const cipher = createCipheriv('aes-256-gcm', encryptionKey(), iv).setAAD(Buffer.from(purpose))
	const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
	return `v1.${Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')}`
}

/**
 * What {@link encryptSecret} encrypted.
 * @param purpose the same as then
 * @returns null when it was encrypted for something else or under another secret, or was changed
 */
export function decryptSecret(purpose: string, stored: string): string | null {
	const [version, body] = stored.split('.')
	const bytes = Buffer.from(body ?? '', 'base64url')
	if (version !== 'v1' || bytes.length < IV_BYTES + TAG_BYTES) return null
	const decipher = createDecipheriv('aes-256-gcm', encryptionKey(), bytes.subarray(0, IV_BYTES), {
		authTagLength: TAG_BYTES,
	})
	decipher.setAAD(Buffer.from(purpose)).setAuthTag(bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES))
	try {
		return Buffer.concat([decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8')
	} catch {
		return null
	}
}

/** Another one than what sessions are signed with, though both come from the same secret. */
function encryptionKey(): Buffer {
	return Buffer.from(hkdfSync('sha256', authSecret(), '', 'devquad secrets in the database', 32))
}
