/* Statistics by week. Weeks are named by their Monday, YYYY-MM-DD in the site's time zone. */

/** Weeks on the page, including the present one, and counted every night. */
export const FIGURE_WEEKS = 53
/** Weeks that are stored, and in the file: an annual report is written in the year after. */
export const KEPT_WEEKS = 2 * FIGURE_WEEKS
/** A question is answered if somebody else comments within this many days. */
export const ANSWERED_WITHIN_DAYS = 7

export const figuresPath = '/admin/figures'
export const figuresCsvPath = '/admin/figures.csv'

export interface WeekFigures {
	week: string
	joined: number
	active: number
	questions: number
	answered: number
	/** The median time to the first answer, in minutes; null without answers. */
	medianMinutes: number | null
}

/** Failed jobs of one kind. */
export interface FailedJobs {
	/** The name in the code, such as `send-mail`. */
	task: string
	/** The number that will be retried automatically. */
	waiting: number
	/** The number without attempts left. */
	givenUp: number
	/** The last error, without mail addresses. */
	error: string
}

/** A percentage; null if the whole is zero. */
export function percent(part: number, whole: number): number | null {
	return whole === 0 ? null : Math.round((100 * part) / whole)
}

/** A duration such as “35 min”, “3 h” or “2 days”. */
export function duration(minutes: number): string {
	if (minutes < 90) return `${minutes} min`
	if (minutes < 48 * 60) return `${Math.round(minutes / 60)} h`
	return `${Math.round(minutes / 1440)} days`
}
