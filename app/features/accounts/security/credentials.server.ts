import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import { TooMany } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import { findPasswordHash } from '../accounts.queries.server.ts'

/**
 * Argon2id with 19 MiB, two passes and one lane: the least of OWASP's Password Storage Cheat Sheet (2026), about 20 ms here.
 */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Hashes that one process computes at a time. They run on the thread pool and need a core each for all of their time: half of
 * the cores leaves the other half to pages, sockets and PostgreSQL while many log in at once.
 */
const MAX_PARALLEL_HASHES = Math.max(1, Math.floor(availableParallelism() / 2))
/** Hashes that may wait in one process. At 20 ms each the last one waits for about 2 s on the smallest machine. */
const MAX_WAITING_HASHES = 100

const limit = remember('password-hashes', () => pLimit(MAX_PARALLEL_HASHES))

/**
 * Insists that a password can be hashed soon. To be called before an attempt is counted.
 * @throws TooMany when too many wait already
 */
export function requireHashCapacity(): void {
	if (limit.pendingCount < MAX_WAITING_HASHES) return
	throw new TooMany('Many people are logging in right now. Try again in a few seconds.', 5)
}

/** The argon2id hash of a password, taken whole: spaces and every character of Unicode count, in the form NFC. */
export function hashPassword(password: string): Promise<string> {
	return limit(() => hash(password.normalize('NFC'), cost))
}

/** Whether a password is the one that was hashed. A hash that cannot be read fits nothing. */
export async function verifyPassword(stored: string, password: string): Promise<boolean> {
	try {
		return await limit(() => verify(stored, password.normalize('NFC')))
	} catch {
		return false
	}
}

/** Whether a member has a password, and not only other ways in. */
export async function hasPassword(userId: number): Promise<boolean> {
	return (await findPasswordHash(userId)) !== null
}

/**
 * Whether this is the member's password. Count the attempt first.
 * @throws TooMany when too many hashes wait already
 */
export async function checkPassword(userId: number, password: string): Promise<boolean> {
	requireHashCapacity()
	return verifyPassword((await findPasswordHash(userId)) ?? '', password)
}
