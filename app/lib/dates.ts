/** As dates have them, the first one at 0. */
export const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

const html = globalThis.document?.documentElement

/**
 * How this site writes dates, and in which zone days begin where the reader's is not known: on the server as admins have set it, in the
 * browser as the document says. No zone is UTC.
 */
export const dateStyle: { locale: string; zone: string | undefined } = {
	locale: html?.lang || 'en',
	zone: html?.dataset.zone,
}

const clocks: Record<string, Intl.DateTimeFormat> = {}

/** A moment whose UTC fields are what the clocks of the site's zone show, in whole seconds. @param at ISO 8601 or milliseconds of the epoch */
export function inSiteZone(at: string | number): Date {
	const { zone } = dateStyle
	if (!zone) return new Date(at)
	// Swedish dates are those of ISO 8601, in every engine.
	clocks[zone] ??= new Intl.DateTimeFormat('sv', { timeZone: zone, dateStyle: 'short', timeStyle: 'medium' })
	return new Date(`${clocks[zone].format(new Date(at)).replace(' ', 'T')}Z`)
}

/** “12 Nov”, or “Nov 12” as in America. Written out here: Intl words differ between engines. */
export function dayMonth(day: number, month: string | undefined): string {
	return isMonthFirst() ? `${month} ${day}` : `${day} ${month}`
}

function isMonthFirst(): boolean {
	return /US|CA/.test(dateStyle.locale)
}

/** A day with its year behind it: “12 Nov 2026”, “Nov 12, 2026”. */
export function withYear(text: string, year: number): string {
	return `${text}${isMonthFirst() ? ',' : ''} ${year}`
}

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/**
 * How long ago `at` was, in words: “18 min ago”, “3 h ago”, “Yesterday”, and from a week on the date.
 * Reads no clock, and no zone but the site's, so the server and the browser say the same.
 * @param at ISO 8601
 * @param now milliseconds of the epoch
 */
export function relativeTime(at: string, now: number): string {
	const age = now - Date.parse(at)
	if (age < minute) return 'just now'
	if (age < hour) return `${Math.floor(age / minute)} min ago`
	if (age < day) return `${Math.floor(age / hour)} h ago`
	if (age < 2 * day) return 'Yesterday'
	if (age < 7 * day) return `${Math.floor(age / day)} days ago`
	return shortDate(at, now)
}

/**
 * The moment that relative times are counted from: the server's for the first minute of a page, so that nothing moves when the
 * browser takes it over at the turn of a minute, then the last whole minute of the browser's clock.
 * @param served when the server made the page, in milliseconds of the epoch @param clock the browser's
 */
export function momentShown(served: number, clock: number): number {
	return clock - served < minute ? served : Math.floor(clock / minute) * minute
}

/** “12 Nov”, with the year when it is not that of `now`; in the zone of the site. */
export function shortDate(at: string, now: number): string {
	return shortDateOf(inSiteZone(at), inSiteZone(now).getUTCFullYear())
}

/** As {@link shortDate}, of UTC fields. @param year is left out */
export function shortDateOf(date: Date, year?: number): string {
	const text = dayMonth(date.getUTCDate(), months[date.getUTCMonth()])
	return date.getUTCFullYear() === year ? text : withYear(text, date.getUTCFullYear())
}
