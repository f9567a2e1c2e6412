/**
 * The moment that the option `--to` of a restore names.
 * @param text in this machine's time zone, unless it names one
 * @throws Error with one sentence; also for a day that does not exist, which Date takes for one of the next month
 */
export function parseMoment(text: string): Date {
	const [, day] = /^(\d{4}-\d\d-\d\d)[ T]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:\d\d)?$/.exec(text) ?? []
	const moment = new Date(text)
	if (!day || Number.isNaN(moment.getTime()) || !isDay(day))
		throw new Error('--to takes a moment such as "2026-11-24 15:30".')
	return moment
}

function isDay(day: string): boolean {
	const midnight = new Date(`${day}T00:00:00Z`)
	return !Number.isNaN(midnight.getTime()) && midnight.toISOString().startsWith(day)
}
