import { createECDH } from 'node:crypto'
import { join } from 'node:path'
import { type Config, config } from '~/config.server.ts'
import { madeOnce } from '~/lib/secrets.server.ts'

/** What tells a push service that it is this site that pushes (RFC 8292). Keys are in base64url. */
interface VapidKeys {
	/** Whom a push service may turn to. */
	subject: string
	publicKey: string
	privateKey: string
}

type Settings = Pick<Config, 'VAPID_PRIVATE_KEY' | 'dataDir' | 'publicUrl' | 'secure' | 'ADMIN_EMAIL' | 'MAIL_FROM'>

/** P-256: a private key is 32 bytes. */
const curve = 'prime256v1'

/**
 * The key pair of VAPID_PRIVATE_KEY, or one that is made on the first start and kept in the data directory. With another key
 * the browsers that asked before would have to ask again.
 */
export function vapidKeys(settings: Settings = config()): VapidKeys {
	const { VAPID_PRIVATE_KEY, dataDir } = settings
	const privateKey = VAPID_PRIVATE_KEY ?? madeOnce(join(dataDir, 'vapid-private-key'), newKey)
	const pair = createECDH(curve)
	pair.setPrivateKey(privateKey, 'base64url')
	return { subject: subjectOf(settings), publicKey: pair.getPublicKey('base64url'), privateKey }
}

function newKey(): string {
	const pair = createECDH(curve)
	pair.generateKeys()
	const key = pair.getPrivateKey()
	// A key that begins with zeros comes without them.
	return Buffer.concat([Buffer.alloc(32 - key.length), key]).toString('base64url')
}

/** RFC 8292 asks for an https address or one for mail. */
function subjectOf({ publicUrl, secure, ADMIN_EMAIL, MAIL_FROM }: Settings): string {
	if (secure) return publicUrl
	return `mailto:${ADMIN_EMAIL || (/<([^>]+)>/.exec(MAIL_FROM)?.[1] ?? MAIL_FROM)}`
}
