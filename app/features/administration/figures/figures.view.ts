/* How the site is used, by week. Weeks are named by their Monday, YYYY-MM-DD in UTC. */

/** Weeks that the page shows, the one that has begun included. */
export const FIGURE_WEEKS = 26
/** A question counts as answered when somebody else answered it within so many days. */
export const ANSWERED_WITHIN_DAYS = 7

export const figuresPath = '/admin/figures'

export interface WeekFigures {
	week: string
	joined: number
	active: number
	questions: number
	answered: number
	/** Minutes to the first answer of half of the answered questions; null where none was answered. */
	medianMinutes: number | null
}

/** Jobs of one kind that failed. */
export interface FailedJobs {
	/** As the code calls them: `send-mail`. */
	task: string
	/** Will be tried again by themselves. */
	waiting: number
	/** Were tried as often as jobs are. */
	givenUp: number
	/** Of the newest failure, without addresses. */
	error: string
}

/** A share of a whole in per cent; null of nothing. */
export function percent(part: number, whole: number): number | null {
	return whole === 0 ? null : Math.round((100 * part) / whole)
}

/** A duration as it is read: “35 min”, “3 h”, “2 days”. */
export function duration(minutes: number): string {
	if (minutes < 90) return `${minutes} min`
	if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`
	return `${Math.round(minutes / 1440)} days`
}
