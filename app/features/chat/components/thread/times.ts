import { inZone, timeOfDay, type Zone } from '~/lib/calendar.ts'
import { shortDateOf } from '~/lib/dates.ts'

const weekdays = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat']
const MINUTE_MS = 60_000
const HOUR_MS = 60 * MINUTE_MS
const DAY_MS = 24 * HOUR_MS

/** “6:41 pm”. @param at ISO 8601 or milliseconds since the epoch */
export function clockTime(at: string | number, zone: Zone): string {
	return timeOfDay(inZone(at, zone))
}

/** The number of a moment's day: equal for two moments of one day. */
export function dayOf(at: string | number, zone: Zone): number {
	return Math.floor(inZone(at, zone).getTime() / DAY_MS)
}

/** “Today”, “Yesterday”, “Wed 12 Nov”, with the year if it differs from that of `now`. */
export function dayName(at: string | number, now: number, zone: Zone): string {
	const then = dayOf(at, zone)
	const ago = dayOf(now, zone) - then
	if (ago === 0) return 'Today'
	if (ago === 1) return 'Yesterday'
	const date = new Date(then * DAY_MS)
	return `${weekdays[date.getUTCDay()]} ${shortDateOf(date, inZone(now, zone).getUTCFullYear())}`
}

/** A short relative time for lists: “now”, “26 min”, “1 h”, “Yesterday”, “Wed”, “14 Nov”. */
export function shortAge(at: string, now: number, zone: Zone): string {
	const age = now - Date.parse(at)
	if (age < MINUTE_MS) return 'now'
	if (age < HOUR_MS) return `${Math.floor(age / MINUTE_MS)} min`
	const days = dayOf(now, zone) - dayOf(at, zone)
	if (days <= 0 || age < 6 * HOUR_MS) return `${Math.floor(age / HOUR_MS)} h`
	if (days === 1) return 'Yesterday'
	if (days < 7) return weekdays[new Date(dayOf(at, zone) * DAY_MS).getUTCDay()] ?? ''
	return shortDateOf(inZone(at, zone), inZone(now, zone).getUTCFullYear())
}
