import { timeOfDay, zoneName } from '~/lib/calendar.ts'
import { dateStyle, inSiteZone, shortDateOf } from '~/lib/dates.ts'
import { Invalid, NotAllowed } from '~/lib/errors.ts'
import { remember } from '~/lib/remember.ts'
import type { WritingRefusal } from '~/lib/root-data.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { findWritingStatus, type WritingStatus } from '../accounts.queries.server.ts'

/** What decides whether a member may write. */
interface AccountStatus {
	/** ISO 8601 in UTC; `infinity` for a permanent suspension; null for none. A time in the past counts as none. */
	suspendedUntil: string | null
	/** Why, in the moderator's words. */
	suspendedReason: string
	/** ISO 8601 in UTC; null for a member who does not leave. */
	leavesAt?: string | null
}

/**
 * Why this member may not write now, as a sentence for them; null when they may.
 * @param now milliseconds since the epoch
 */
export function readOnlyMessage(account: AccountStatus, now: number): string | null {
	const { suspendedUntil, suspendedReason } = account
	if (account.leavesAt)
		return 'You are leaving, so you can only read. Keep your account at Settings, Leave, to write again.'
	if (suspendedUntil === null) return null
	const because = suspendedReason ? ` Reason: ${suspendedReason}` : ''
	if (suspendedUntil === 'infinity') return `You are permanently suspended and cannot post here.${because}`
	if (Date.parse(suspendedUntil) <= now) return null
	const end = inSiteZone(suspendedUntil)
	const time = dateStyle.locale === 'en' ? end.toISOString().slice(11, 16) : timeOfDay(end)
	return `You are suspended until ${shortDateOf(end)} ${time} ${zoneName()} and cannot post here until then.${because}`
}

/*
 * The rule of suspensions, for all features: a suspended member reads, deletes their own posts, and changes what concerns nobody
 * else (password, sessions, notification settings, blocks, drafts). All other use cases that write check here, or in the posting
 * rules of the forum, which check here too.
 */

const terms = remember('terms-to-accept', () => ({ version: 0 }))

/** Sets the version of the terms that members have to accept before they write; 0 for none. */
export function setTermsToAccept(version: number): void {
	terms.version = version
}

/** The version of the terms that a new member has to accept; 0 for none. */
export function termsToAccept(): number {
	return terms.version
}

/** Reads the checkbox of a registration. @returns the accepted version @throws Invalid where it was not accepted */
export function requireAcceptedTerms(sent: unknown): number {
	if (terms.version === 0 || Number(sent) === terms.version) return terms.version
	const message = 'Read the terms and tick the box to accept them.'
	throw new Invalid(message, { terms: message })
}

/** Why a member may not write now: suspended, leaving, or without consent to the terms; null when they may. */
export function refusalToWrite(row: WritingStatus): WritingRefusal | null {
	const { suspended_until: suspendedUntil, suspended_reason: suspendedReason, leaves_at: leavesAt } = row
	const text = readOnlyMessage({ suspendedUntil, suspendedReason, leavesAt }, Date.now())
	if (text) return leavesAt ? { text, link: { to: '/settings/leave', label: 'Open that page' } } : { text }
	if (row.agreed_to >= terms.version) return null
	const toAccept = 'Accept the terms of this site at /terms/accept, then you can write here.'
	return { text: toAccept, link: { to: '/terms/accept', label: 'Open that page' } }
}

/** @throws NotAllowed with the reason of {@link refusalToWrite} */
export function requireWritingAllowed(row: WritingStatus): void {
	const refusal = refusalToWrite(row)
	if (refusal) throw new NotAllowed(refusal.text)
}

/**
 * Requires that a member may write, according to the database: a session may be older than a suspension.
 * @param executor the transaction of the write, where there is one
 * @throws NotAllowed with the end and the reason; also when the account is gone
 */
export async function requireMayWrite(userId: number, executor?: Executor): Promise<void> {
	const row = await findWritingStatus(userId, executor)
	if (!row) throw new NotAllowed('This account no longer exists.')
	requireWritingAllowed(row)
}
