const fullMonths = 'January February March April May June July August September October November December'.split(' ')
const months = fullMonths.map((month) => month.slice(0, 3))
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

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

/** As {@link inSiteZone}, for the clock of this machine: in a browser, that of its reader. */
function inOwnZone(at: string | number): Date {
	const date = new Date(at)
	return new Date(date.getTime() - date.getTimezoneOffset() * minute)
}

/** “12 Nov”, or “Nov 12” as in America. Written out here: Intl words differ between engines. */
function dayMonth(day: number, month: string | undefined): string {
	return isMonthFirst() ? `${month} ${day}` : `${day} ${month}`
}

function isMonthFirst(): boolean {
	return /US|CA/.test(dateStyle.locale)
}

function withYear(text: string, year: number): string {
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

/** “6:41 pm” of UTC fields, or “18:41” where the region counts to 24. */
export function timeOfDay(date: Date): string {
	const [hours, minutes] = [date.getUTCHours(), String(date.getUTCMinutes()).padStart(2, '0')]
	if (/GB|IE|ZA/.test(dateStyle.locale)) return `${String(hours).padStart(2, '0')}:${minutes}`
	return `${hours % 12 || 12}:${minutes} ${hours < 12 ? 'am' : 'pm'}`
}

/** “Nov 2026” of a date as the database keeps it (`2026-11-21`), and '' of null. */
export function monthAndYear(date: string | null): string {
	if (!date) return ''
	const [year, month] = date.split('-')
	return `${months[Number(month) - 1]} ${year}`
}

/** “21 November 2026” of a date as the database keeps it, and '' of null. */
export function fullDate(date: string | null): string {
	if (!date) return ''
	const [year, month, day] = date.split('-')
	return withYear(dayMonth(Number(day), fullMonths[Number(month) - 1]), Number(year))
}

/** A moment in full by the reader's clock: “Sat Nov 21 2026 05:12:33”, or as the region has it. */
export function localTime(at: string): string {
	return inFull(inOwnZone(at))
}

/** The same form in the zone of the site, which is named, for a page that cannot know where its reader is. */
export function siteTime(at: string): string {
	return `${inFull(inSiteZone(at))} ${zoneName()}`
}

/** “(Berlin)”: the zone of the site by its largest city, or “UTC”. */
export function zoneName(): string {
	const { zone } = dateStyle
	return zone ? `(${zone.replace(/.*\//, '').replace(/_/g, ' ')})` : 'UTC'
}

function inFull(date: Date): string {
	if (dateStyle.locale !== 'en') return `${shortDateOf(date)}, ${timeOfDay(date)}`
	const [weekday, day, month, year, time] = date.toUTCString().replace(',', '').split(' ')
	return `${weekday} ${month} ${day} ${year} ${time}`
}

/** Whose clock a time is told by: the reader's, or that of the site where the reader's is not known. */
export type Zone = 'local' | 'site'

/** A moment whose UTC fields are what a clock shows. */
export function inZone(at: string | number, zone: Zone): Date {
	return zone === 'site' ? inSiteZone(at) : inOwnZone(at)
}

/** “Saturday, 21 November”. */
export function dayAndMonth(at: number, zone: Zone): string {
	const date = inZone(at, zone)
	return `${weekdays[date.getUTCDay()]}, ${dayMonth(date.getUTCDate(), fullMonths[date.getUTCMonth()])}`
}

/** A day in the zone of the site, `YYYY-MM-DD`. @param at ISO 8601 or milliseconds of the epoch */
export function siteDay(at: string | number): string {
	return inSiteZone(at).toISOString().slice(0, 10)
}
