import { type RawBuilder, sql } from 'kysely'
import type { Mentions } from '../member-data.ts'
import { db } from './db.server.ts'

/*
 * Finds and replaces usernames in texts: after an at-sign, in an address of this site, or in a search as `user:name`. Names in plain prose
 * are left alone, and so is `/name` anywhere else: `</li>` in HTML, `Asia/Kolkata`, a folder, an address of another site.
 */

/** What precedes a username in the addresses of pages, pictures and the API. */
const FOLDERS =
	'find-dev|(?:my|edit)-profile|messages|members|(?:moderation|report)/(?:profile|account)|profiles|conversations|blocks|forum/[a-z0-9-]+'
const BEFORE = `(@|user:|/(?:${FOLDERS})/)`

/**
 * Any character that no username has ends one; so do `.json` and `.data`, with which no username ends. A name with a Latin letter
 * that no username has, as in `@josé`, is no username.
 */
const END = '(?![a-z0-9_\\u00c0-\\u024f\\u0300-\\u036f-]|\\.(?!(?:json|data)(?![a-z0-9_.-]))[a-z0-9_-])'

const anyOf = (usernames: readonly string[]) => `(?:${usernames.map((name) => name.replaceAll('.', '\\.')).join('|')})`

/** A regular expression, for PostgreSQL and JavaScript and without regard to case: the text names one of these members. */
export const namingPattern = (usernames: readonly string[]) => `${BEFORE}${anyOf(usernames)}${END}`

/** As {@link namingPattern}, for email addresses: as a whole, as `ann@` is also the end of `joann@`. In JSON, a line before it ends with `\\n`. */
export function addressPattern(emails: readonly string[]): string {
	const escaped = emails.map((email) => email.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&'))
	return `(^|\\\\[bfnrt]|[^a-z0-9!#$%&'*+/=?^_{|}~.-])(?:${escaped.join('|')})(?![a-z0-9-]|\\.[a-z0-9])`
}

/** A condition: the text names one of these members. */
export function namesOneOf(text: RawBuilder<unknown>, usernames: readonly string[]): RawBuilder<boolean> {
	return sql<boolean>`${text} ~* ${namingPattern(usernames)}`
}

/**
 * A text with one username replaced by another. An address of a question of theirs also loses its title, which the site adds again
 * by a redirect.
 */
export function replaceUsername(
	text: RawBuilder<unknown>,
	usernames: readonly string[],
	replacement: string,
): RawBuilder<string> {
	const names = anyOf(usernames)
	return sql<string>`regexp_replace(
		regexp_replace(${text}, ${`(/forum/[a-z0-9-]+/${names}/[0-9]+)/[^\\s"')\\]<>?#]+`}, '\\1', 'gi'),
		${`${BEFORE}${names}${END}`}, ${`\\1${replacement}`}, 'gi')`
}

/**
 * Replaces usernames in these text columns.
 * @param place.columns as in `mentions` of a table
 * @param place.returning a column of the changed rows
 * @returns its values, or null for each row
 */
export async function renameInColumns(
	place: { table: string; columns: Mentions; returning?: string },
	usernames: readonly string[],
	replacement: string,
): Promise<(number | null)[]> {
	const { table, columns, returning } = place
	const changes = Object.entries(columns).map(([column, length]) => {
		const text = replaceUsername(sql`${sql.ref(column)}::text`, usernames, replacement)
		// Safe in JSON: a username has no characters that JSON escapes.
		if (length === 'json') return sql`${sql.ref(column)} = (${text})::jsonb`
		return sql`${sql.ref(column)} = ${length === null ? text : sql`left(${text}, ${length})`}`
	})
	const conditions = Object.keys(columns).map((column) => namesOneOf(sql`${sql.ref(column)}::text`, usernames))
	const { rows } = await sql<{ value: number | null }>`
		update ${sql.table(table)} set ${sql.join(changes)} where ${sql.join(conditions, sql` or `)}
		returning ${returning ? sql.ref(returning) : sql`null::int`} as value`.execute(db())
	return rows.map(({ value }) => value)
}
