import { NotFound } from './errors.ts'

/** Whether a value can be the id of a row: a positive whole number that fits PostgreSQL's integer. */
export function isId(value: unknown): value is number {
	return Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31
}

/** Whether a value is an object with fields. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null
}

/** Whether a value has the form of a username; whether a member has it is not checked. */
export function isUsername(value: unknown): value is string {
	return typeof value === 'string' && /^[a-z0-9_.-]{1,64}$/.test(value)
}

/** The id in an address or a form. @throws NotFound for anything that cannot be one */
export function requireId(text: unknown): number {
	const id = typeof text === 'string' && /^[1-9]\d{0,9}$/.test(text) ? Number(text) : 0
	if (!isId(id)) throw new NotFound('There is no such page.')
	return id
}

/** Whether this is a day of the calendar as `YYYY-MM-DD`, of this century or the last one. */
export function isDay(text: string): boolean {
	return /^(19|20)\d\d-\d\d-\d\d$/.test(text) && new Date(text).toJSON()?.slice(0, 10) === text
}
