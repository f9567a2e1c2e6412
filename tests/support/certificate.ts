import { generateKeyPairSync, sign } from 'node:crypto'

/* A certificate for a server of a test, in the DER of X.509: Node reads such, and makes none. */

/** A certificate for `localhost`, signed with its own key and good for an hour, and that key; both as PEM. */
export function makeCertificate(): { cert: string; key: string } {
	const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
	const name = sequence(node(0x31, sequence(oid([0x55, 4, 3]), node(0x0c, Buffer.from('localhost')))))
	const signing = sequence(oid([0x2a, 0x86, 0x48, 0xce, 0x3d, 4, 3, 2]))
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

const sequence = (...parts: Buffer[]) => node(0x30, Buffer.concat(parts))
const oid = (bytes: number[]) => node(0x06, Buffer.from(bytes))
const integer = (value: number) => node(0x02, Buffer.of(value))

/** @param from now, in milliseconds */
function time(from: number): Buffer {
	const digits = new Date(Date.now() + from).toISOString().replace(/\D/g, '').slice(2, 14)
	return node(0x17, Buffer.from(`${digits}Z`))
}

function pem(der: Buffer): string {
	const lines = der.toString('base64').match(/.{1,64}/g) ?? []
	return `-----BEGIN CERTIFICATE-----\n${lines.join('\n')}\n-----END CERTIFICATE-----\n`
}
