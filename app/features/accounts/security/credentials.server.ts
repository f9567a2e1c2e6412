import { availableParallelism } from 'node:os'
import { hash, verify } from '@node-rs/argon2'
import pLimit from 'p-limit'
import { findPasswordHash } from '~/features/sessions/passwords.queries.server.ts'
import { TooManyRequests } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { Executor } from '~/platform/db/db.server.ts'

/** Argon2id with 19 MiB, two passes and one lane: the minimum of OWASP's Password Storage Cheat Sheet (2026), about 20 ms here. */
const cost = { memoryCost: 19_456, timeCost: 2, parallelism: 1 }

/**
 * Concurrent hashes in one process. Each occupies a core: half of the cores stay free for pages, sockets and PostgreSQL while many
 * log in at once.
 */
const MAX_PARALLEL_HASHES = Math.max(1, Math.floor(availableParallelism() / 2))
/** Hashes that may wait in one process. At 20 ms each, the last one waits about 2 s on the smallest machine. */
const MAX_WAITING_HASHES = 100

const limit = remember('password-hashes', () => pLimit(MAX_PARALLEL_HASHES))

/**
 * Requires that a password can be hashed soon. Call it before an attempt is counted.
 * @throws TooManyRequests when too many wait already
 */
export function requireHashCapacity(): void {
	if (limit.pendingCount < MAX_WAITING_HASHES) return
	throw new TooManyRequests('Many people are logging in right now. Try again in a few seconds.', 5)
}

/** The argon2id hash of a password, without truncation: spaces and every Unicode character count, in NFC. */
export function hashPassword(password: string): Promise<string> {
	return limit(() => hash(password.normalize('NFC'), cost))
}

/** Verifies a password. An unreadable hash matches nothing. */
export async function verifyPassword(stored: string, password: string): Promise<boolean> {
	try {
		return await limit(() => verify(stored, password.normalize('NFC')))
	} catch {
		return false
	}
}

/** Whether a member has a password, and not only other login methods. */
export async function hasPassword(userId: number, executor?: Executor): Promise<boolean> {
	return (await findPasswordHash(userId, executor)) !== null
}

/**
 * Whether this is the member's password. Count the attempt first.
 * @throws TooManyRequests when too many hashes wait already
 */
export async function checkPassword(userId: number, password: string): Promise<boolean> {
	requireHashCapacity()
	return verifyPassword((await findPasswordHash(userId)) ?? '', password)
}
