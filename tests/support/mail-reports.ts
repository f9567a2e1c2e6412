import { readFileSync } from 'node:fs'
import { returnPathFor } from '~/features/bounces/return-path.server.ts'

const reports = new URL('../data/bounces/', import.meta.url)

/** A report of one of the kinds in tests/data/bounces. @param mail its return path and recipient */
export function reportOn(kind: string, { path, email }: { path: string; email: string }): Buffer {
	const text = readFileSync(new URL(`${kind}.eml`, reports), 'utf8')
	return Buffer.from(text.replaceAll('{path}', path).replaceAll('{email}', email).replaceAll('\n', '\r\n'))
}

/** The return path of a mail to a member. */
export function pathTo({ id, email }: { id: number; email: string }, sentAt = new Date()): string {
	return returnPathFor({ user_id: id, email }, sentAt) ?? ''
}

export const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000)
