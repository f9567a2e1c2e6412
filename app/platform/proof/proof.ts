import { sha256 } from '@noble/hashes/sha2.js'
import { utf8ToBytes } from '@noble/hashes/utils.js'

/**
 * Whether an answer gives the challenge a hash with enough leading zero bits. For server and browser: without TLS a browser has no
 * `crypto.subtle`.
 * @param answer a decimal number
 */
export function isProof(challenge: string, answer: string, difficulty: number): boolean {
	const hash = sha256(utf8ToBytes(`${challenge}:${answer}`))
	const whole = Math.floor(difficulty / 8)
	for (let index = 0; index < whole; index += 1) if (hash[index] !== 0) return false
	return difficulty % 8 === 0 || (hash[whole] ?? 255) >> (8 - (difficulty % 8)) === 0
}

/** The first valid answer. It takes seconds, so it runs in a worker (`proof-worker.ts`). */
export function findProof(challenge: string): string {
	const difficulty = Number(challenge.split('.')[2])
	for (let number = 0; ; number += 1) if (isProof(challenge, String(number), difficulty)) return String(number)
}
