import { diffArrays } from 'diff'
import { isRecord } from '~/lib/checks.ts'
import type { Reading } from './readings.ts'

/** One line that a reader saw before and does not see now (`- …`), or the other way round (`+ …`). */
export interface Difference extends Pick<Reading, 'reader' | 'address'> {
	line: string
}

/** Differences that are meant: lines at addresses, both as expressions. */
export interface KnownDifference {
	address: RegExp
	line: RegExp
	reason: string
}

/** Addresses of questions end with their titles; what they were before leads there. */
const titled = /(\/forum\/[\w-]+\/[\w.-]+\/\d+)\/[a-z0-9-]+/g
const isoTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/**
 * What a reader sees otherwise than before. Fields that an answer of the API has in addition, where its readers find places
 * to go on, and times after the dump are no differences.
 * @param dumpedAt ISO 8601
 */
export function compare(before: Reading, now: Reading, dumpedAt: string): Difference[] {
	const { reader, address } = before
	const lines = [before, { ...now, seen: withFieldsOf(before.seen, now.seen) }].map(({ status, seen }) =>
		[`status ${status}`, ...linesOf(seen)]
			.filter((line) => !isAfter(line, dumpedAt))
			.map((line) => line.replace(/\bcursor=[^&]+/, 'cursor=…').replace(titled, '$1')),
	)
	const changes = diffArrays(lines[0] ?? [], lines[1] ?? [])
	return changes
		.filter(({ added, removed }) => added || removed)
		.flatMap(({ added, value }) => value.map((line) => ({ reader, address, line: `${added ? '+' : '-'} ${line}` })))
}

function isAfter(line: string, dumpedAt: string): boolean {
	const value = line.split(' = ').at(-1)?.replaceAll('"', '') ?? ''
	return isoTime.test(value) && value >= dumpedAt
}

/** The facts of a page as they are; data as one line a value, with its path. */
function linesOf(seen: unknown, path = ''): string[] {
	if (path === '' && Array.isArray(seen) && seen.every((item) => typeof item === 'string')) return seen
	if (Array.isArray(seen))
		return [`${path} has ${seen.length}`, ...seen.flatMap((item, index) => linesOf(item, `${path}[${index}]`))]
	if (isRecord(seen)) return Object.entries(seen).flatMap(([name, value]) => linesOf(value, `${path}.${name}`))
	return [`${path} = ${JSON.stringify(seen)}`]
}

/** A value with the fields alone that an earlier one had, in its order; a cursor is there or not. */
function withFieldsOf(before: unknown, now: unknown): unknown {
	if (Array.isArray(before) && Array.isArray(now))
		return now.map((item, index) => withFieldsOf(before[index] ?? before[0], item))
	if (!isRecord(before) || !isRecord(now)) return now
	const names = Object.keys(before).filter((name) => name in now)
	return Object.fromEntries(
		names.map((name) => [name, name === 'next' && now.next ? before.next : withFieldsOf(before[name], now[name])]),
	)
}
