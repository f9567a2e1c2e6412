const fullMonths = 'January February March April May June July August September October November December'.split(' ')
const months = fullMonths.map((month) => month.slice(0, 3))
const weekdays = 'Sunday Monday Tuesday Wednesday Thursday Friday Saturday'.split(' ')

const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

/**
 * How long ago `at` was, in words: “18 min ago”, “3 h ago”, “Yesterday”, and from a week on the date.
 * Reads no clock and no time zone, so the server and the browser say the same.
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

/** “12 Nov”, with the year when it is not that of `now`; in UTC. */
export function shortDate(at: string, now: number): string {
	const date = new Date(at)
	const text = `${date.getUTCDate()} ${months[date.getUTCMonth()]}`
	return date.getUTCFullYear() === new Date(now).getUTCFullYear() ? text : `${text} ${date.getUTCFullYear()}`
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
	return `${Number(day)} ${fullMonths[Number(month) - 1]} ${year}`
}

/** The reader's own time: the first 24 characters of the date's string form. */
export function localTime(at: string): string {
	return new Date(at).toString().slice(0, 24)
}

/** The same form in UTC, for a page that cannot know where its reader is. */
export function utcTime(at: string): string {
	const [weekday, date, month, year, time] = new Date(at).toUTCString().replace(',', '').split(' ')
	return `${weekday} ${month} ${date} ${year} ${time} UTC`
}

/** “Saturday, 21 November”, in the reader's zone or in UTC. Written out here: Intl words differ between engines. */
export function dayAndMonth(at: number, zone: 'local' | 'utc'): string {
	const date = new Date(at)
	const [weekday, day, month] =
		zone === 'utc'
			? [date.getUTCDay(), date.getUTCDate(), date.getUTCMonth()]
			: [date.getDay(), date.getDate(), date.getMonth()]
	return `${weekdays[weekday]}, ${day} ${fullMonths[month]}`
}

/** A day by the clock of this machine, `YYYY-MM-DD`. @param now milliseconds of the epoch */
export function localDay(now: number): string {
	const date = new Date(now)
	const two = (number: number) => String(number).padStart(2, '0')
	return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`
}
