/** Short names of months, the first at 0. */
export const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const html = globalThis.document?.documentElement

/**
 * The date format of the site, and its time zone, used where the reader's is unknown: on the server as admins have set it, in the
 * browser from the document. Without a zone, UTC.
 */
export const dateStyle: { locale: string; zone: string | undefined } = {
	locale: html?.lang || 'en',
	zone: html?.dataset.zone,
}

const clocks: Record<string, Intl.DateTimeFormat> = {}

/** A Date whose UTC fields are local time in the site's zone, in whole seconds. @param at ISO 8601 or milliseconds since the epoch */
export function inSiteZone(at: string | number): Date {
	const { zone } = dateStyle
	if (!zone) return new Date(at)
	// Swedish dates are ISO 8601 in every engine.
	clocks[zone] ??= new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
	return new Date(`${clocks[zone].format(new Date(at)).replace(' ', 'T')}Z`)
}

/** “12 Nov”, or “Nov 12” as in America. Not by Intl, whose words differ between engines. */
export function dayMonth(day: number, month: string | undefined): string {
	return isMonthFirst() ? `${month} ${day}` : `${day} ${month}`
}

function isMonthFirst(): boolean {
	return /US|CA/.test(dateStyle.locale)
}

/** A day with its year: “12 Nov 2026”, “Nov 12, 2026”. */
export function withYear(text: string, year: number): string {
	return `${text}${isMonthFirst() ? ',' : ''} ${year}`
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/**
 * A relative time: “18 min ago”, “3 h ago”, “Yesterday”, and from a week on the date. Uses no clock, and no zone but the site's, so
 * that server and browser agree.
 * @param at ISO 8601
 * @param now milliseconds since the epoch
 */
export function relativeTime(at: string, now: number): string {
	const age = now - Date.parse(at)
	if (age < minute) return 'just now'
	if (age < hour) return `${Math.floor(age / minute)} min ago`
	const days = age < day ? 0 : dayNumber(now) - dayNumber(at)
	if (days === 0) return `${Math.floor(age / hour)} h ago`
	if (days === 1) return 'Yesterday'
	return days < 7 ? `${days} days ago` : shortDate(at, now)
}

/** Counts the days of the site's zone: a larger number is a later day. */
function dayNumber(at: string | number): number {
	return Math.floor(inSiteZone(at).getTime() / day)
}

/**
 * The moment that relative times refer to: the server's during the first minute of a page, so that nothing changes during
 * hydration; then the last full minute of the browser's clock.
 * @param served when the server rendered the page, in milliseconds since the epoch @param clock the browser's
 */
export function referenceTime(served: number, clock: number): number {
	return clock - served < minute ? served : Math.floor(clock / minute) * minute
}

/** “12 Nov”, with the year if it differs from that of `now`; in the site's zone. */
export function shortDate(at: string, now: number): string {
	return shortDateOf(inSiteZone(at), inSiteZone(now).getUTCFullYear())
}

/** As {@link shortDate}, from UTC fields. @param year that is left out */
export function shortDateOf(date: Date, year?: number): string {
	const text = dayMonth(date.getUTCDate(), months[date.getUTCMonth()])
	return date.getUTCFullYear() === year ? text : withYear(text, date.getUTCFullYear())
}
