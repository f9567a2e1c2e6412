/** The code of an error of Node or PostgreSQL, such as `ENOENT` or `23505`; '' for anything else. */
export function codeOf(error: unknown): string {
	const code = (error as { code?: unknown } | null | undefined)?.code
	return typeof code === 'string' ? code : ''
}
