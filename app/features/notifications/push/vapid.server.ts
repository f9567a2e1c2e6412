import { createECDH } from 'node:crypto'
import { join } from 'node:path'
import { type Config, config } from '~/config.server.ts'
import { readOrCreateFile } from '~/lib/secrets.server.ts'

/** The keys that identify this site to push services (RFC 8292), in base64url. */
interface VapidKeys {
	/** The contact for a push service. */
	subject: string
	publicKey: string
	privateKey: string
}

type Settings = Pick<Config, 'VAPID_PRIVATE_KEY' | 'dataDir' | 'publicUrl' | 'secure' | 'ADMIN_EMAIL' | 'MAIL_FROM'>

/** P-256: a private key is 32 bytes. */
const curve = 'prime256v1'

/**
 * The key pair of VAPID_PRIVATE_KEY, or one that is generated on the first start and stored in the data directory. With
 * another key, all browsers would have to subscribe again.
 */
export function vapidKeys(settings: Settings = config()): VapidKeys {
	const { VAPID_PRIVATE_KEY, dataDir } = settings
	const privateKey = VAPID_PRIVATE_KEY ?? readOrCreateFile(join(dataDir, 'vapid-private-key'), newKey)
	const pair = createECDH(curve)
	pair.setPrivateKey(privateKey, 'base64url')
	return { subject: subjectOf(settings), publicKey: pair.getPublicKey('base64url'), privateKey }
}

function newKey(): string {
	const pair = createECDH(curve)
	pair.generateKeys()
	const key = pair.getPrivateKey()
	// Leading zeros of a key are omitted.
	return Buffer.concat([Buffer.alloc(32 - key.length), key]).toString('base64url')
}

/** RFC 8292 requires an https address or a mailto one. */
function subjectOf({ publicUrl, secure, ADMIN_EMAIL, MAIL_FROM }: Settings): string {
	if (secure) return publicUrl
	return `mailto:${ADMIN_EMAIL || (/<([^>]+)>/.exec(MAIL_FROM)?.[1] ?? MAIL_FROM)}`
}
