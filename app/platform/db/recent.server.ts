import { type RawBuilder, sql } from 'kysely'

/**
 * Rows may lie this much ahead of the statement that counts them: their transaction began later and ended before. What lies
 * further ahead was written before the machine's clock was set back.
 */
const CLOCK_TOLERANCE = '1 minute'

/**
 * Whether a time lies within the last `interval`; for limits on what somebody did lately. Times from the future do not count:
 * after the clock was set back by a day they would for a whole day.
 * `now()` and not the clock itself, so that an index can be used.
 * @param column as it stands in the statement, such as `created_at`
 * @param interval as PostgreSQL reads it, such as `1 hour`
 */
export function isRecent(column: string, interval: string): RawBuilder<boolean> {
	return sql`(${sql.ref(column)} > now() - interval ${sql.lit(interval)} and ${isPast(column)})`
}

/** Whether a time is not from the future, as it is after the machine's clock was set back. */
export function isPast(column: string): RawBuilder<boolean> {
	return sql`${sql.ref(column)} <= now() + interval ${sql.lit(CLOCK_TOLERANCE)}`
}
