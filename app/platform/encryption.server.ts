import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Config, config } from '~/config.server.ts'
import { readOrCreateFile } from '~/lib/secrets.server.ts'

const IV_BYTES = 12
const TAG_BYTES = 16

type Settings = Pick<Config, 'AUTH_SECRET' | 'dataDir'>

/** The secret that signs sessions: AUTH_SECRET, or one that is created once and stored in the data directory. */
export function authSecret({ AUTH_SECRET, dataDir }: Settings = config()): string {
	return AUTH_SECRET ?? readOrCreateFile(join(dataDir, 'auth-secret'), () => randomBytes(32).toString('base64url'))
}

/**
 * Encrypts a secret that the site has to read again, such as a password for another service, for the database (AES-256-GCM). The
 * key is derived from the data directory's secret, so a copy of the database reveals nothing.
 * @param purpose binds the result to its use, such as a table, a column and a row: decrypting it for another purpose fails
 */
export function encryptSecret(purpose: string, text: string): string {
	const iv = randomBytes(IV_BYTES)
	const cipher = createCipheriv('aes-256-gcm', encryptionKey(), iv).setAAD(Buffer.from(purpose))
	const encrypted = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()])
	return `v1.${Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64url')}`
}

/**
 * Decrypts a result of {@link encryptSecret}.
 * @param purpose the same as when it was encrypted
 * @returns null when the purpose or the secret differs, or the text was changed
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

/** Differs from the key that signs sessions, though both derive from the same secret. */
function encryptionKey(): Buffer {
	return Buffer.from(hkdfSync('sha256', authSecret(), '', 'devquad secrets in the database', 32))
}
