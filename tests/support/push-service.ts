import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Push } from '~/features/notifications/push/delivery.server.ts'
import { makeCertificate } from './certificate.ts'

/** A received push, decrypted. */
export interface ReceivedPush extends Push {
	headers: IncomingMessage['headers']
	/** The claims of the verified signature. */
	claims: { aud: string; exp: number; sub: string }
	/** The public key of the signature, in base64url. */
	signedBy: string
}

/** A browser with a subscription. */
export interface PushBrowser {
	/** The fields of its subscription. */
	subscription: { endpoint: string; p256dh: string; auth: string }
	arrived: ReceivedPush[]
	/** The response of its push service: a status, and a redirect. */
	answer: { status: number; location?: string }
	/** Received requests, including rejected ones. */
	asked: number
}

/** A real push service over https, with the browsers' keys to decrypt pushes. */
export async function startPushService() {
	const browsers = new Map<string, PushBrowser & { pair: ECDH; secret: Buffer }>()
	const { cert, key } = makeCertificate()
	const folder = mkdtempSync(join(tmpdir(), 'devquad-push-'))
	writeFileSync(join(folder, 'ca.pem'), cert)
	const server = createServer({ cert, key }, async (request, response) => {
		const browser = browsers.get(request.url ?? '')
		const chunks: Buffer[] = []
		for await (const chunk of request) chunks.push(chunk)
		if (!browser) return response.writeHead(404).end()
		const { status, location } = browser.answer
		browser.asked += 1
		if (status === 201) browser.arrived.push(read(request, Buffer.concat(chunks), browser, origin))
		response.writeHead(status, location ? { Location: location } : {}).end()
	}).listen(0, 'localhost')
	await once(server, 'listening')
	const host = `localhost:${(server.address() as AddressInfo).port}`
	const origin = `https://${host}`

	function browser(): PushBrowser {
		const pair = createECDH('prime256v1')
		pair.generateKeys()
		const secret = randomBytes(16)
		const path = `/push/${randomBytes(8).toString('hex')}`
		const keys = { p256dh: pair.getPublicKey('base64url'), auth: secret.toString('base64url') }
		const browser = {
			subscription: { endpoint: origin + path, ...keys },
			arrived: [],
			answer: { status: 201 },
			asked: 0,
		}
		const entry = { ...browser, pair, secret }
		browsers.set(path, entry)
		return entry
	}

	return {
		/** Settings of a site that may push here. */
		env: { PUSH_HOSTS: host, NODE_EXTRA_CA_CERTS: join(folder, 'ca.pem') },
		origin,
		browser,
		stop: async () => {
			server.closeAllConnections()
			server.close()
			rmSync(folder, { recursive: true, force: true })
		},
	}
}

function read(
	request: IncomingMessage,
	body: Buffer,
	{ pair, secret }: { pair: ECDH; secret: Buffer },
	origin: string,
): ReceivedPush {
	const push: Push = JSON.parse(decrypt(body, pair, secret))
	const { claims, signedBy } = readSignature(request.headers.authorization ?? '')
	if (claims.aud !== origin) throw new Error(`A push for ${claims.aud} came to ${origin}`)
	return { ...push, headers: request.headers, claims, signedBy }
}

/** RFC 8291, section 3.4, and the single record of RFC 8188 before it. */
function decrypt(body: Buffer, pair: ECDH, secret: Buffer): string {
	const salt = body.subarray(0, 16)
	const sender = body.subarray(21, 21 + (body[20] ?? 0))
	const record = body.subarray(21 + sender.length)
	const info = Buffer.concat([Buffer.from('WebPush: info\0'), pair.getPublicKey(), sender])
	const shared = Buffer.from(hkdfSync('sha256', pair.computeSecret(sender), secret, info, 32))
	const derive = (what: string, length: number) =>
		Buffer.from(hkdfSync('sha256', shared, salt, `Content-Encoding: ${what}\0`, length))
	const decipher = createDecipheriv('aes-128-gcm', derive('aes128gcm', 16), derive('nonce', 12))
	decipher.setAuthTag(record.subarray(-16))
	const padded = Buffer.concat([decipher.update(record.subarray(0, -16)), decipher.final()])
	return padded.subarray(0, padded.lastIndexOf(2)).toString()
}

/** RFC 8292. @throws Error if the signature does not match the key */
function readSignature(header: string): Pick<ReceivedPush, 'claims' | 'signedBy'> {
	const [, head = '', claims = '', signature = '', signedBy = ''] =
		/^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(header) ?? []
	const point = Buffer.from(signedBy, 'base64url')
	const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((part) => part.toString('base64url'))
	const key = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' })
	const good = verify(
		'sha256',
		Buffer.from(`${head}.${claims}`),
		{ key, dsaEncoding: 'ieee-p1363' },
		Buffer.from(signature, 'base64url'),
	)
	if (!good) throw new Error('The signature of a push is not good')
	return { claims: JSON.parse(Buffer.from(claims, 'base64url').toString()), signedBy }
}
