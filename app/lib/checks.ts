import { NotFound } from './errors.ts'

/** Whether a value can be the id of a row: a whole number that PostgreSQL's integer holds. */
export function isId(value: unknown): value is number {
	return Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31
}

/** Whether what somebody sent has fields to look at. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null
}

/** Whether a value looks like a username; whether a member has it is another question. */
export function isUsername(value: unknown): value is string {
	return typeof value === 'string' && /^[a-z0-9_.-]{1,64}$/.test(value)
}

/** The id that an address or a form names. @throws NotFound for anything that cannot be one */
export function readId(text: unknown): number {
	const id = typeof text === 'string' && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0
	if (!isId(id)) throw new NotFound('There is no such page. It may have been deleted.')
	return id
}
