import { diffArrays } from 'diff'
import { isRecord } from '~/lib/checks.ts'
import type { Reading } from './readings.ts'

/** A line that a reader no longer sees (`- …`), or sees in addition (`+ …`). */
export interface Difference extends Pick<Reading, 'reader' | 'address'> {
	line: string
}

/** Intended differences: regular expressions for lines and addresses. */
export interface KnownDifference {
	address: RegExp
	line: RegExp
	reason: string
}

/** Addresses of questions end with titles; former ones redirect. */
const titled = /(\/forum\/[\w-]+\/[\w.-]+\/\d+)\/[a-z0-9-]+/g
const isoTime = /^\d{4}-\d\d-\d\dT[\d:.]+Z$/

/**
 * What a reader sees differently. Additional fields in API responses, cursors, and times after the dump do not count.
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

/** The facts of a page; data as one line per value, with its path. */
function linesOf(seen: unknown, path = ''): string[] {
	if (path === '' && Array.isArray(seen) && seen.every((item) => typeof item === 'string')) return seen
	if (Array.isArray(seen))
		return [`${path} has ${seen.length}`, ...seen.flatMap((item, index) => linesOf(item, `${path}[${index}]`))]
	if (isRecord(seen)) return Object.entries(seen).flatMap(([name, value]) => linesOf(value, `${path}.${name}`))
	return [`${path} = ${JSON.stringify(seen)}`]
}

/** Keeps only the fields of an earlier value, in its order; cursors only by presence. */
function withFieldsOf(before: unknown, now: unknown): unknown {
	if (Array.isArray(before) && Array.isArray(now))
		return now.map((item, index) => withFieldsOf(before[index] ?? before[0], item))
	if (!isRecord(before) || !isRecord(now)) return now
	const names = Object.keys(before).filter((name) => name in now)
	return Object.fromEntries(
		names.map((name) => [name, name === 'next' && now.next ? before.next : withFieldsOf(before[name], now[name])]),
	)
}
