import { generateKeyPairSync, sign } from 'node:crypto'

/* Makes X.509 certificates in DER for test servers: Node can read certificates, but not create them. */

/** Signature algorithms: ECDSA and RSA with SHA-256. */
const signingWays = {
	ec: [oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2])],
	rsa: [oid([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 1, 1, 0x0b]), node(0x05, Buffer.alloc(0))],
}

/**
 * A self-signed certificate for `localhost`, valid for an hour, with its key; both as PEM.
 * @param bits of an RSA key; without it the key is elliptic
 */
export function makeCertificate(bits?: number): { cert: string; key: string } {
	const { privateKey, publicKey } = bits
		? generateKeyPairSync('rsa', { modulusLength: bits })
		: generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
	const name = sequence(node(0x31, sequence(oid([0x55, 4, 3]), node(0x0c, Buffer.from('localhost')))))
	const signing = sequence(...signingWays[bits ? 'rsa' : 'ec'])
	const alternative = sequence(node(0x82, Buffer.from('localhost')))
	const extensions = sequence(sequence(oid([0x55, 0x1d, 0x11]), node(0x04, alternative)))
	const facts = sequence(
		node(0xa0, integer(2)),
		integer(1),
		signing,
		name,
		sequence(time(-3_600_000), time(3_600_000)),
		name,
		publicKey.export({ type: 'spki', format: 'der' }),
		node(0xa3, extensions),
	)
	const signature = sign('sha256', facts, privateKey)
	const certificate = sequence(facts, signing, node(0x03, Buffer.concat([Buffer.of(0), signature])))
	return { cert: pem(certificate), key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() }
}

function node(tag: number, content: Buffer): Buffer {
	const { length } = content
	const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255]
	return Buffer.concat([Buffer.of(tag, ...size), content])
}

function sequence(...parts: Buffer[]): Buffer {
	return node(0x30, Buffer.concat(parts))
}

function oid(bytes: number[]): Buffer {
	return node(0x06, Buffer.from(bytes))
}

const integer = (value: number) => node(0x02, Buffer.of(value))

/** @param from offset from now, in milliseconds */
function time(from: number): Buffer {
	const digits = new Date(Date.now() + from).toISOString().replace(/\D/g, '').slice(2, 14)
	return node(0x17, Buffer.from(`${digits}Z`))
}

function pem(der: Buffer): string {
	const lines = der.toString('base64').match(/.{1,64}/g) ?? []
	return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
