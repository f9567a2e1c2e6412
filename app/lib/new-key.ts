/** A name that nobody else makes: 128 bits of chance. `crypto.randomUUID` is missing in pages of a plain http address. */
export function newKey(): string {
	return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
