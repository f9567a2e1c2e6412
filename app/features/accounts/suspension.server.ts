import { NotAllowed } from '~/lib/errors.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { suspensionOf } from './suspension.policy.ts'
import { findSuspension, type SuspensionRow } from './suspension.queries.server.ts'

/*
 * The one rule of suspensions, for every feature: a suspended member reads, deletes what is their own, and changes what concerns
 * nobody else (password, sessions, notification settings, whom they block, drafts). Every other use case that writes asks here,
 * or in the guard of the forum, which asks here too.
 */

/** @throws NotAllowed with until when and why, for a member whose suspension still lasts */
export function refuseSuspended(row: SuspensionRow): void {
	const standing = { suspendedUntil: row.suspended_until, suspendedReason: row.suspended_reason }
	const message = suspensionOf(standing, Date.now())
	if (message) throw new NotAllowed(message)
}

/**
 * Refuses to let a suspended member write, by what the database says now: a session may be older than the suspension.
 * @param executor the transaction of the write, where there is one
 * @throws NotAllowed with until when and why; also when the account is gone
 */
export async function requireMayWrite(userId: number, executor?: Executor): Promise<void> {
	const row = await findSuspension(userId, executor)
	if (!row) throw new NotAllowed('This account no longer exists.')
	refuseSuspended(row)
}
