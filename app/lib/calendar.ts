import { dateStyle, dayMonth, inSiteZone, months, shortDateOf, withYear } from './dates.ts'

/* Full dates and times, which few pages show; those of lists are in dates.ts, which every page loads. */

const fullMonths = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** The time zone: the reader's, or the site's where the reader's is unknown. */
export type Zone = 'local' | 'site'

/** As {@link inSiteZone}, for this machine's zone: in a browser, the reader's. */
function inOwnZone(at: string | number): Date {
	const date = new Date(at)
	return new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
}

/** A Date whose UTC fields are local time in a zone. */
export function inZone(at: string | number, zone: Zone): Date {
	return zone === 'site' ? inSiteZone(at) : inOwnZone(at)
}

/** “6:41 pm” from UTC fields, or “18:41” in regions with a 24-hour clock. */
export function timeOfDay(date: Date): string {
	const [hours, minutes] = [date.getUTCHours(), String(date.getUTCMinutes()).padStart(2, '0')]
	if (/GB|IE|ZA/.test(dateStyle.locale)) return `${String(hours).padStart(2, '0')}:${minutes}`
	return `${hours % 12 || 12}:${minutes} ${hours < 12 ? 'am' : 'pm'}`
}

/** “Nov 2026” for a date of the database (`2026-11-21`), and '' for null. */
export function monthAndYear(date: string | null): string {
	if (!date) return ''
	const [year, month] = date.split('-')
	return `${months[Number(month) - 1]} ${year}`
}

/** “21 November 2026” for a date of the database, and '' for null. */
export function fullDate(date: string | null): string {
	if (!date) return ''
	const [year, month, day] = date.split('-')
	return withYear(dayMonth(Number(day), fullMonths[Number(month) - 1]), Number(year))
}

/** A full date and time in the reader's zone: “Sat Nov 21 2026 05:12:33”, in the region's format. */
export function localTime(at: string): string {
	return inFull(inOwnZone(at))
}

/** The same in the site's zone, with its name, for a page that does not know the reader's. */
export function siteTime(at: string): string {
	return `${inFull(inSiteZone(at))} ${zoneName()}`
}

/** “(Berlin)”: the site's zone by its largest city, or “UTC”. */
export function zoneName(): string {
	const { zone } = dateStyle
	return zone ? `(${zone.replace(/.*\//, '').replace(/_/g, ' ')})` : 'UTC'
}

function inFull(date: Date): string {
	if (dateStyle.locale !== 'en') return `${shortDateOf(date)}, ${timeOfDay(date)}`
	const [weekday, day, month, year, time] = date.toUTCString().replace(',', '').split(' ')
	return `${weekday} ${month} ${day} ${year} ${time}`
}

/** “Saturday, 21 November”. */
export function dayAndMonth(at: number, zone: Zone): string {
	const date = inZone(at, zone)
	return `${weekdays[date.getUTCDay()]}, ${dayMonth(date.getUTCDate(), fullMonths[date.getUTCMonth()])}`
}

/** A day in the site's zone, `YYYY-MM-DD`. @param at ISO 8601 or milliseconds since the epoch */
export function siteDay(at: string | number): string {
	return inSiteZone(at).toISOString().slice(0, 10)
}
