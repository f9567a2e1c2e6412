import { type RawBuilder, sql } from 'kysely'

/**
 * An SQL expression: a time as ISO 8601 text in UTC to the microsecond, exact enough for the cursor of a page.
 * @param time SQL of a `timestamptz`, such as a column; it becomes part of the statement as it is, so it never holds input.
 */
export const isoTime = (time: string) =>
	sql.raw<string>(`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`)

/** Like {@link isoTime}, to the second. */
export const isoSeconds = (time: string) =>
	sql.raw<string>(`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)

/** An SQL expression: when its statement began, in milliseconds of the database's clock, which all processes share. */
export const statementTime = sql<number>`(extract(epoch from statement_timestamp())::float8 * 1000)`

/** A text as it is written in the pattern of `like`, in which `%`, `_` and `\` mean something. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')

/**
 * Rows may be this much newer than the statement that counts them, as their transaction began later and ended earlier. Newer ones
 * were written before the machine's clock was set back.
 */
const CLOCK_TOLERANCE = '1 minute'

/**
 * Whether a time is within the last `interval`; for limits on recent actions. Times in the future do not count: after the clock was
 * set back by a day, they would count for a whole day. Uses `now()`, so that an index can be used.
 * @param column as it is written in the statement, such as `created_at`
 * @param interval as PostgreSQL reads it, such as `1 hour`
 */
export function isRecent(column: string, interval: string): RawBuilder<boolean> {
	return sql`(${sql.ref(column)} > now() - interval ${sql.lit(interval)} and ${isPast(column)})`
}

/** Whether a time is not in the future, as it may be after the machine's clock was set back. */
export function isPast(column: string): RawBuilder<boolean> {
	return sql`${sql.ref(column)} <= now() + interval ${sql.lit(CLOCK_TOLERANCE)}`
}
