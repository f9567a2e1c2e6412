/** Whether a value can be the id of a row: a whole number that PostgreSQL's integer holds. */
export function isId(value: unknown): value is number {
	return Number.isInteger(value) && (value as number) > 0 && (value as number) < 2 ** 31
}
