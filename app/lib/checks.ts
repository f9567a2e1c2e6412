/** Whether a value can be the id of a row: a whole number that PostgreSQL's integer holds. */
export function isId(value: unknown): value is number {
	return Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31
}

/** Whether what somebody sent has fields to look at. */
export function isRecord(value: unknown): value is Record<string, unknown> {
	return typeof value === 'object' && value !== null
}
