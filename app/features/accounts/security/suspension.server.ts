import { timeOfDay, zoneName } from '~/lib/calendar.ts'
import { dateStyle, inSiteZone, shortDateOf } from '~/lib/dates.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { findSuspension, type SuspensionRow } from '../accounts.queries.server.ts'

/** What a member's row says about whether they may write. */
interface AccountStatus {
	/** ISO 8601 in UTC; `infinity` for ever; null when not suspended. A moment that has passed suspends nobody. */
	suspendedUntil: string | null
	/** Why, in the moderator's words. */
	suspendedReason: string
	/** ISO 8601 in UTC; null for a member who does not leave. */
	leavesAt?: string | null
}

/**
 * Why this member may write nothing now, as a sentence for them; null when they may.
 * @param now milliseconds of the epoch
 */
export function suspensionOf({ suspendedUntil, suspendedReason, leavesAt }: AccountStatus, now: number): string | null {
	if (leavesAt) return 'You are leaving, so you can only read. Keep your account at Settings, Leave, to write again.'
	if (suspendedUntil === null) return null
	const because = suspendedReason ? ` Reason: ${suspendedReason}` : ''
	if (suspendedUntil === 'infinity') return `You are permanently suspended and cannot post here.${because}`
	if (Date.parse(suspendedUntil) <= now) return null
	const end = inSiteZone(suspendedUntil)
	const time = dateStyle.locale === 'en' ? end.toISOString().slice(11, 16) : timeOfDay(end)
	return `You are suspended until ${shortDateOf(end)} ${time} ${zoneName()} and cannot post here until then.${because}`
}

/*
 * The one rule of suspensions, for every feature: a suspended member reads, deletes what is their own, and changes what concerns
 * nobody else (password, sessions, notification settings, whom they block, drafts). Every other use case that writes asks here,
 * or in the guard of the forum, which asks here too.
 */

const terms = remember('terms-to-accept', () => ({ version: 0 }))

/** Says which version of the terms members have to accept before they write; 0 for none. */
export function setTermsToAccept(version: number): void {
	terms.version = version
}

/** The version of the terms that whoever registers has to accept; 0 where there is none. */
export function termsToAccept(): number {
	return terms.version
}

/** Reads the box of a registration. @returns the version that was accepted @throws Invalid where it was not */
export function requireAcceptedTerms(sent: unknown): number {
	if (terms.version === 0 || Number(sent) === terms.version) return terms.version
	const message = 'Read the terms and tick the box to accept them.'
	throw new Invalid(message, { terms: message })
}

/** @throws NotAllowed with until when and why, for a member whose suspension still lasts, or who has not accepted the terms */
export function refuseSuspended(row: SuspensionRow): void {
	const suspension = {
		suspendedUntil: row.suspended_until,
		suspendedReason: row.suspended_reason,
		leavesAt: row.leaves_at,
	}
	const message = suspensionOf(suspension, Date.now())
	if (message) throw new NotAllowed(message)
	if (row.agreed_to < terms.version)
		throw new NotAllowed('The terms of this site have changed. Accept them at /terms/accept, then you can write here.')
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
