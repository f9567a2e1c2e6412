import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import type { Identity, Recipient } from 'age-encryption'

/*
 * Encrypts with a passphrase in age's format: https://github.com/C2SP/C2SP/blob/main/age.md, “The scrypt recipient type”. The
 * package derives keys in JavaScript, which blocks the process; Node's own scrypt is faster and runs in a thread.
 * Here and in the archives the package is loaded at its first use (docs/decisions/0127-memory-that-is-given-back.md).
 */

/** Cost of each guess of a passphrase, as a power of two: age's own default, about a second. */
export const WORK_FACTOR = 18
/** Higher factors are refused, as a foreign file may demand any amount of memory: 20 takes one gigabyte. */
const MAX_WORK_FACTOR = 20

const LABEL = Buffer.from('age-encryption.org/v1/scrypt')
const SALT_BYTES = 16
const KEY_BYTES = 32
/** Bytes of the authentication tag of ChaCha20-Poly1305. */
const TAG_BYTES = 16
/** Each key encrypts only one message, so the nonce may be constant. */
const NONCE = Buffer.alloc(12)
const CIPHER = 'chacha20-poly1305'

/** Encrypts a file key with a passphrase. @param workFactor lower than {@link WORK_FACTOR} for tests */
export function passphraseRecipient(passphrase: string, workFactor = WORK_FACTOR): Recipient {
	return {
		wrapFileKey: async (fileKey) => {
			const salt = randomBytes(SALT_BYTES)
			const cipher = createCipheriv(CIPHER, await keyOf(passphrase, salt, workFactor), NONCE, {
				authTagLength: TAG_BYTES,
			})
			const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
			const { Stanza } = await import('age-encryption')
			return [new Stanza(['scrypt', encode(salt), String(workFactor)], body)]
		},
	}
}

/** Decrypts what {@link passphraseRecipient} or `age -p` encrypted. */
export function passphraseIdentity(passphrase: string): Identity {
	return {
		unwrapFileKey: async (stanzas) => {
			const [stanza] = stanzas
			const [type, salt = '', workFactor = ''] = stanza?.args ?? []
			// It must be the only stanza: this proves that the file was made with the passphrase.
			if (stanzas.length !== 1 || type !== 'scrypt') return null
			const bytes = Buffer.from(salt, 'base64')
			const isSound =
				encode(bytes) === salt &&
				bytes.length === SALT_BYTES &&
				/^[1-9]\d?$/.test(workFactor) &&
				Number(workFactor) <= MAX_WORK_FACTOR &&
				stanza?.body.length === SALT_BYTES + TAG_BYTES
			if (!isSound || !stanza) throw new Error('The file does not say in a known way how its passphrase is tried.')
			const key = await keyOf(passphrase, bytes, Number(workFactor))
			const decipher = createDecipheriv(CIPHER, key, NONCE, { authTagLength: TAG_BYTES })
			decipher.setAuthTag(stanza.body.subarray(-TAG_BYTES))
			try {
				return Buffer.concat([decipher.update(stanza.body.subarray(0, -TAG_BYTES)), decipher.final()])
			} catch {
				return null
			}
		},
	}
}

const derive = promisify(scrypt) as (
	passphrase: string,
	salt: Buffer,
	bytes: number,
	options: { N: number; r: number; p: number; maxmem: number },
) => Promise<Buffer>

function keyOf(passphrase: string, salt: Buffer, workFactor: number): Promise<Buffer> {
	const [N, r] = [2 ** workFactor, 8]
	// Slightly more than the algorithm needs, as Node requires the limit not to be reached.
	return derive(passphrase, Buffer.concat([LABEL, salt]), KEY_BYTES, { N, r, p: 1, maxmem: 128 * r * (N + 8) })
}

function encode(bytes: Buffer): string {
	return bytes.toString('base64').replace(/=+$/, '')
}
