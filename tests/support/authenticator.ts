import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'
import { isoCBOR } from '@simplewebauthn/server/helpers'

/** Deviations of a signature from a valid one. */
export interface Claims {
	origin?: string
	rpId?: string
	/** Whether the authenticator claims user verification. */
	isVerified?: boolean
	counter?: number
}

/** A software authenticator with an ES256 key, which signs whatever claims a test sets. */
export function makeAuthenticator(site: string) {
	const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
	const id = randomBytes(16)
	const { x = '', y = '' } = publicKey.export({ format: 'jwk' })
	const key = new Map<number, number | Uint8Array>([
		[1, 2],
		[3, -7],
		[-1, 1],
		[-2, new Uint8Array(Buffer.from(x, 'base64url'))],
		[-3, new Uint8Array(Buffer.from(y, 'base64url'))],
	])
	let uses = 0

	const clientData = (type: string, challenge: string, { origin = site }: Claims) =>
		Buffer.from(JSON.stringify({ type, challenge, origin, crossOrigin: false }))

	function authenticatorData(claims: Claims, attested: Buffer[] = []): Buffer {
		const { rpId = new URL(site).hostname, isVerified = true } = claims
		const count = Buffer.alloc(4)
		count.writeUInt32BE(claims.counter ?? uses)
		const flags = 0x01 | (isVerified ? 0x04 : 0) | (attested.length > 0 ? 0x40 : 0)
		return Buffer.concat([sha256(rpId), Buffer.from([flags]), count, ...attested])
	}

	const named = () => ({ id: id.toString('base64url'), rawId: id.toString('base64url'), type: 'public-key' })

	return {
		/** The browser's JSON for a new passkey. */
		make(challenge: string, claims: Claims = {}): string {
			const length = Buffer.alloc(2)
			length.writeUInt16BE(id.length)
			const attested = [Buffer.alloc(16), length, id, Buffer.from(isoCBOR.encode(key))]
			const attestation = new Map<string, unknown>([
				['fmt', 'none'],
				['attStmt', new Map()],
				['authData', new Uint8Array(authenticatorData(claims, attested))],
			])
			const attestationObject = Buffer.from(isoCBOR.encode(attestation as Parameters<typeof isoCBOR.encode>[0]))
			const response = {
				clientDataJSON: clientData('webauthn.create', challenge, claims).toString('base64url'),
				attestationObject: attestationObject.toString('base64url'),
				transports: ['internal', 'telepathy'],
			}
			return JSON.stringify({ ...named(), response })
		},
		/** The browser's JSON for a signed challenge. */
		sign(challenge: string, claims: Claims = {}): string {
			uses += 1
			const client = clientData('webauthn.get', challenge, claims)
			const data = authenticatorData(claims)
			const signature = sign('sha256', Buffer.concat([data, sha256(client)]), privateKey)
			const response = {
				clientDataJSON: client.toString('base64url'),
				authenticatorData: data.toString('base64url'),
				signature: signature.toString('base64url'),
			}
			return JSON.stringify({ ...named(), response })
		},
	}
}

function sha256(data: string | Buffer): Buffer {
	return createHash('sha256').update(data).digest()
}
