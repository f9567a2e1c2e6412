import type { University } from './universities.server.ts'

/** How long a confirmed university address counts, in milliseconds: a year of 365 days. */
export const campusLasts = 365 * 86_400_000

/** So long before the end the owner is reminded, and offered to renew. */
export const campusNotice = 14 * 86_400_000

interface Confirmed {
	campus_name: string
	campus_verified_at: Date | null
}

/** Whether a member's university address was confirmed within the last year. @param now milliseconds of the epoch */
export function isCampusVerified({ campus_name, campus_verified_at }: Confirmed, now: number): boolean {
	return campus_name !== '' && campus_verified_at !== null && now - campus_verified_at.getTime() < campusLasts
}

/** The university that a member is a verified student of, and '' for everybody else. */
export function campusOf(row: Confirmed, now = Date.now()): string {
	return isCampusVerified(row, now) ? row.campus_name : ''
}

/** The state of a member's university address, for the member alone. */
export interface CampusStatus {
	/** '' when none is given. */
	email: string
	/**
	 * `missing`: no address given. `foreign`: no university's that we know. `open`: can be confirmed. `verified`: was, and
	 * counts. `ending`: counts for two more weeks at most. `lapsed`: counted, over a year ago.
	 */
	state: 'missing' | 'foreign' | 'open' | 'verified' | 'ending' | 'lapsed'
	/** The university of the address, or ''. */
	university: string
	/** The day it counts until (`2026-11-21`), or null when it does not. */
	until: string | null
}

/** The status of an address, from its row and the university of its domain. @param now milliseconds of the epoch */
export function campusStatus(
	row: Confirmed & { university_email: string },
	university: University | null,
	now: number,
): CampusStatus {
	const { university_email: email, campus_verified_at: at } = row
	const verified = isCampusVerified(row, now)
	const end = at && row.campus_name ? at.getTime() + campusLasts : null
	const status = { email, university: row.campus_name || (university?.name ?? ''), until: null }
	if (email === '') return { ...status, state: 'missing' }
	if (verified && end !== null)
		return {
			...status,
			state: end - now <= campusNotice ? 'ending' : 'verified',
			until: new Date(end).toISOString().slice(0, 10),
		}
	if (!university) return { ...status, state: 'foreign' }
	return { ...status, state: end === null ? 'open' : 'lapsed' }
}

/** What stands after the last at-sign of a mail address. */
export function domainOf(email: string): string {
	return email.slice(email.lastIndexOf('@') + 1)
}
