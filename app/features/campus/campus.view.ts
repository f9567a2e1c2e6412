import { inSiteZone } from '~/lib/dates.ts'
import type { University } from './universities.server.ts'

/** How long a confirmation is valid, in milliseconds. */
export const CAMPUS_LIFETIME_MS = 365 * 86_400_000

/** How long before the end the member is reminded and may renew, in milliseconds. */
export const CAMPUS_REMINDER_MS = 14 * 86_400_000

interface Confirmed {
	campus_name: string
	campus_verified_at: Date | null
}

/** Whether a confirmation is still valid. @param now milliseconds since 1970 */
export function isCampusVerified({ campus_name, campus_verified_at }: Confirmed, now: number): boolean {
	return campus_name !== '' && campus_verified_at !== null && now - campus_verified_at.getTime() < CAMPUS_LIFETIME_MS
}

/** The university of a verified student; '' for other members. */
export function campusOf(row: Confirmed, now = Date.now()): string {
	return isCampusVerified(row, now) ? row.campus_name : ''
}

/** The state of a member's university address, for that member only. */
export interface CampusStatus {
	/** '' without one. */
	email: string
	/**
	 * `missing`: no address. `foreign`: not of a known university. `open`: not confirmed yet. `verified`: confirmed. `ending`: confirmed, but
	 * for two more weeks at most. `lapsed`: the confirmation has expired.
	 */
	state: 'missing' | 'foreign' | 'open' | 'verified' | 'ending' | 'lapsed'
	/** The university of the address, or ''. */
	university: string
	/** The last day of the confirmation in the site's time zone (`2026-11-21`); null without a valid one. */
	until: string | null
}

/** Derives the state of an address from its row and the university of its domain. @param now milliseconds since 1970 */
export function campusStatus(
	row: Confirmed & { university_email: string },
	university: University | null,
	now: number,
): CampusStatus {
	const { university_email: email, campus_verified_at: at } = row
	const verified = isCampusVerified(row, now)
	const end = at && row.campus_name ? at.getTime() + CAMPUS_LIFETIME_MS : null
	const status = { email, university: row.campus_name || (university?.name ?? ''), until: null }
	if (email === '') return { ...status, state: 'missing' }
	if (verified && end !== null)
		return {
			...status,
			state: end - now <= CAMPUS_REMINDER_MS ? 'ending' : 'verified',
			until: inSiteZone(end).toISOString().slice(0, 10),
		}
	if (!university) return { ...status, state: 'foreign' }
	return { ...status, state: end === null ? 'open' : 'lapsed' }
}

/** The part after the last @ of a mail address. */
export function domainOf(email: string): string {
	return email.slice(email.lastIndexOf('@') + 1)
}
