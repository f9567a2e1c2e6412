import { isId } from '~/lib/checks.ts'
import { decodeCursor, encodeCursor, invalidCursor } from '~/platform/http/cursors.ts'

/** A page of links or lists, with the cursor of the next one; null at the end. */
export interface InvitationPage<Row> {
	rows: Row[]
	next: string | null
}

/** The id that a cursor names; null without one. @throws Invalid for a malformed cursor */
export function idIn(cursor: string | null): number | null {
	if (cursor === null) return null
	const [id] = decodeCursor(cursor, 1)
	if (!isId(id)) throw invalidCursor()
	return id
}

/** @param rows in order, one more than the page has if there is another page */
export function pageOf<Row extends { id: number }>(rows: Row[], size: number): InvitationPage<Row> {
	const shown = rows.slice(0, size)
	const last = shown.at(-1)
	return { rows: shown, next: rows.length > size && last ? encodeCursor([last.id]) : null }
}
