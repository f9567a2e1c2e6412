import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { type Identity, type Recipient, Stanza } from 'age-encryption'

/*
 * Passphrases as age has them: https://github.com/C2SP/C2SP/blob/main/age.md, “The scrypt recipient type”. The package makes keys of them
 * in JavaScript, and everything else in the process waits for it; Node's own scrypt is faster and has a thread of its own.
 */

/** How much work each try of a passphrase is, as a power of two: what age itself takes, about a second. */
export const WORK_FACTOR = 18
/** More is refused, as a file of somebody else may ask for any amount of memory: 20 is one gigabyte. */
const MAX_WORK_FACTOR = 20

const LABEL = Buffer.from('age-encryption.org/v1/scrypt')
const SALT_BYTES = 16
const KEY_BYTES = 32
/** Bytes of the tag behind what ChaCha20-Poly1305 has encrypted. */
const TAG_BYTES = 16
/** Each key encrypts one thing. */
const NONCE = Buffer.alloc(12)
const CIPHER = 'chacha20-poly1305'

/** Encrypts a file's key with a passphrase. @param workFactor less than {@link WORK_FACTOR} is for tests */
export function lockedBy(passphrase: string, workFactor = WORK_FACTOR): Recipient {
	return {
		wrapFileKey: async (fileKey) => {
			const salt = randomBytes(SALT_BYTES)
			const cipher = createCipheriv(CIPHER, await keyOf(passphrase, salt, workFactor), NONCE, {
				authTagLength: TAG_BYTES,
			})
			const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
			return [new Stanza(['scrypt', encode(salt), String(workFactor)], body)]
		},
	}
}

/** Opens what {@link lockedBy}, or `age -p`, has encrypted. */
export function openedBy(passphrase: string): Identity {
	return {
		unwrapFileKey: async (stanzas) => {
			const [stanza] = stanzas
			const [type, salt = '', workFactor = ''] = stanza?.args ?? []
			// It stands alone: whoever knows the passphrase knows that nobody else has made the file.
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
	// What the algorithm takes, and a little more, as Node refuses what takes as much.
	return derive(passphrase, Buffer.concat([LABEL, salt]), KEY_BYTES, { N, r, p: 1, maxmem: 128 * r * (N + 8) })
}

function encode(bytes: Buffer): string {
	return bytes.toString('base64').replace(/=+$/, '')
}
