import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * Whether an answer gives a challenge a hash that begins with so many zero bits. For the server and for the browser, which has no
 * `crypto.subtle` on a page without TLS.
 * @param answer a number in decimal
 */
export function hasProof(challenge: string, answer: string, difficulty: number): boolean {
	const hash = sha256(utf8ToBytes(`${challenge}:${answer}`))
	const whole = Math.floor(difficulty / 8)
	for (let index = 0; index < whole; index += 1) if (hash[index] !== 0) return false
	return difficulty % 8 === 0 || (hash[whole] ?? 255) >> (8 - (difficulty % 8)) === 0
}

/** The first number that is an answer. It takes seconds, so it is looked for in a worker (`proof-worker.ts`). */
export function findProof(challenge: string): string {
	const difficulty = Number(challenge.split('.')[2])
	for (let number = 0; ; number += 1) if (hasProof(challenge, String(number), difficulty)) return String(number)
}
