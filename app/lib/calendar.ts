import { dateStyle, dayMonth, inSiteZone, months, shortDateOf, withYear } from './dates.ts'

/* Days and times in full, as few pages show them: what lists show stands in dates.ts, which every page loads. */

const fullMonths = 'January February March April May June July August September October November December'.split(' ')
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

/** Whose clock a time is told by: the reader's, or that of the site where the reader's is not known. */
export type Zone = 'local' | 'site'

/** As {@link inSiteZone}, for the clock of this machine: in a browser, that of its reader. */
function inOwnZone(at: string | number): Date {
	const date = new Date(at)
	return new Date(date.getTime() - date.getTimezoneOffset() * 60_000)
}

/** A moment whose UTC fields are what a clock shows. */
export function inZone(at: string | number, zone: Zone): Date {
	return zone === 'site' ? inSiteZone(at) : inOwnZone(at)
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

/** “Saturday, 21 November”. */
export function dayAndMonth(at: number, zone: Zone): string {
	const date = inZone(at, zone)
	return `${weekdays[date.getUTCDay()]}, ${dayMonth(date.getUTCDate(), fullMonths[date.getUTCMonth()])}`
}

/** A day in the zone of the site, `YYYY-MM-DD`. @param at ISO 8601 or milliseconds of the epoch */
export function siteDay(at: string | number): string {
	return inSiteZone(at).toISOString().slice(0, 10)
}
