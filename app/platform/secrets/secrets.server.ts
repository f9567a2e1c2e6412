import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { type Config, config } from '~/config.server.ts'
import { madeOnce } from '~/lib/secrets.server.ts'

/*
 * Secrets that the site has to read again, such as those of authenticator apps, as they stand in the database: AES-256-GCM under
 * a key that is not in it. What only has to be compared is hashed (lib/secrets.server.ts).
 */

const cipher = 'aes-256-gcm'
/** Says how the rest was made, so that another way can come later. */
const prefix = 'v1.'
const NONCE_BYTES = 12
const TAG_BYTES = 16

/**
 * A secret as it may stand in the database: `v1.` and base64url of nonce, authentication tag and ciphertext.
 * @param purpose what it is and whose, such as `totp 12`; only the same purpose decrypts it, so that no row can pass for another
 */
export function encryptSecret(text: string, purpose: string): string {
	const nonce = randomBytes(NONCE_BYTES)
	const encryption = createCipheriv(cipher, encryptionKey(), nonce)
	encryption.setAAD(Buffer.from(purpose))
	const encrypted = Buffer.concat([encryption.update(text, 'utf8'), encryption.final()])
	return prefix + Buffer.concat([nonce, encryption.getAuthTag(), encrypted]).toString('base64url')
}

/**
 * The secret that {@link encryptSecret} made this text of.
 * @throws Error when it was changed, has another purpose, or was encrypted under another key
 */
export function decryptSecret(stored: string, purpose: string): string {
	const bytes = Buffer.from(stored.startsWith(prefix) ? stored.slice(prefix.length) : '', 'base64url')
	const nonce = bytes.subarray(0, NONCE_BYTES)
	const tag = bytes.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES)
	try {
		const decryption = createDecipheriv(cipher, encryptionKey(), nonce, { authTagLength: TAG_BYTES })
		decryption.setAAD(Buffer.from(purpose))
		decryption.setAuthTag(tag)
		const text = decryption.update(bytes.subarray(NONCE_BYTES + TAG_BYTES))
		return Buffer.concat([text, decryption.final()]).toString('utf8')
	} catch (error) {
		throw new Error('A stored secret cannot be decrypted: ENCRYPTION_KEY is not the one it was encrypted under.', {
			cause: error,
		})
	}
}

/** ENCRYPTION_KEY, or a key that is made once and kept in the data directory. @returns 32 bytes */
function encryptionKey({ ENCRYPTION_KEY, dataDir }: Pick<Config, 'ENCRYPTION_KEY' | 'dataDir'> = config()): Buffer {
	const text = ENCRYPTION_KEY ?? madeOnce(join(dataDir, 'encryption-key'), () => randomBytes(32).toString('base64url'))
	return Buffer.from(text, 'base64url')
}
