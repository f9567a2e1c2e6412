import { isId } from '~/lib/checks.ts'
import { Invalid } from '~/lib/errors.ts'

/** A position in a list ordered by time and then id, newest first. */
export interface TimeCursor {
	/** ISO 8601 with microseconds, as PostgreSQL prints it: a Date would round and skip rows. */
	at: string
	id: number
}

/** One page of a list. */
export interface Page<Row> {
	rows: Row[]
	/** The cursor of the next page; null at the end. */
	next: string | null
}

/** The opaque cursor of a position in a list: URL-safe, with no promised meaning. */
export function encodeCursor(parts: readonly (string | number)[]): string {
	return Buffer.from(JSON.stringify(parts)).toString('base64url')
}

/** @throws Invalid when {@link encodeCursor} did not make the text with this many parts */
export function decodeCursor(text: string, length: number): (string | number)[] {
	try {
		const parts: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
		const sound =
			Array.isArray(parts) &&
			parts.length === length &&
			parts.every((part) => typeof part === 'string' || Number.isFinite(part))
		if (sound) return parts
	} catch {
		// falls through to the refusal below
	}
	throw invalidCursor()
}

/** The error of a malformed cursor. */
export function invalidCursor(): Invalid {
	return new Invalid('This page of the list no longer exists. Start again from the first page.')
}

/** PostgreSQL knows no zone beyond 15 hours, and no year 0. */
const isoTime = /^((?!0000)\d{4}-\d\d-\d\d)[T ]\d\d:\d\d:\d\d(\.\d{1,6})?(Z|[+-](0\d|1[0-5])(:?\d\d)?)$/

/** Whether a text is a timestamp as PostgreSQL prints it: ISO 8601, with or without microseconds. */
export function isTimeText(text: unknown): text is string {
	const [, day] = typeof text === 'string' ? (isoTime.exec(text) ?? []) : []
	if (day === undefined || Number.isNaN(Date.parse(String(text)))) return false
	// JavaScript takes 30 February for 2 March, and PostgreSQL takes it for none.
	return new Date(`${day}T00:00:00Z`).toISOString().startsWith(day)
}

/** A double precision number of at least 0 as PostgreSQL prints it, none so small that PostgreSQL refuses to read it. */
const rankText = /^\d{1,9}(\.\d{1,20})?(e-\d{1,2})?$/

/** Whether a text is a rank of a search, as PostgreSQL prints it. */
export function isRankText(text: unknown): text is string {
	return typeof text === 'string' && rankText.test(text)
}

/** @throws Invalid when `text` is not a cursor of a list in order of id */
export function decodeIdCursor(text: string): number {
	const [id] = decodeCursor(text, 1)
	if (!isId(id)) throw invalidCursor()
	return id
}

/** @throws Invalid when `text` is not a cursor of a list in order of time */
export function decodeTimeCursor(text: string): TimeCursor {
	const [at, id] = decodeCursor(text, 2)
	if (!isTimeText(at) || !isId(id)) throw invalidCursor()
	return { at, id }
}

/**
 * The page of a list, from rows that were read with one more than it has.
 * @param key the position of a row in the order of the list
 */
export function pageOf<Row>(
	found: readonly Row[],
	limit: number,
	key: (row: Row) => readonly (string | number)[],
): Page<Row> {
	const rows = found.slice(0, limit)
	const last = rows.at(-1)
	return { rows, next: found.length > limit && last ? encodeCursor(key(last)) : null }
}
