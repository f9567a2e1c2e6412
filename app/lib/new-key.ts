/** A unique key with 128 random bits. Pages without TLS lack `crypto.randomUUID`. */
export function newKey(): string {
	return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
