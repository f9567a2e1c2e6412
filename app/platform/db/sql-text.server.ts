import { sql } from 'kysely'

/**
 * An SQL expression: a time as ISO 8601 text in UTC to the microsecond, exact enough for the cursor of a page.
 * @param time SQL of a `timestamptz`, such as a column; it becomes part of the statement as it is, so it never holds input.
 */
export const isoTime = (time: string) =>
	sql.raw<string>(`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"')`)

/** Like {@link isoTime}, to the second. */
export const isoSeconds = (time: string) =>
	sql.raw<string>(`to_char(${time} at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS"Z"')`)

/** A text as it is written in the pattern of `like`, in which `%`, `_` and `\` mean something. */
export const escapeLike = (text: string) => text.replace(/[\\%_]/g, '\\$&')
