/** The code of an error of Node or PostgreSQL, such as `ENOENT` or `23505`; '' for anything else. */
export function codeOf(error: unknown): string {
	const code = (error as { code?: unknown } | null | undefined)?.code
	return typeof code === 'string' ? code : ''
}

const causes: [RegExp, string][] = [
	[/ENOSPC|no space left on device/i, 'the disk is full'],
	[/EDQUOT|disk quota exceeded/i, 'the disk quota is used up'],
	[/EROFS|read-only file system/i, 'the disk is read-only'],
]

/**
 * Explains an error that was caused by the disk.
 * @param error an error of Node, or a line of a program's log
 * @returns null for other errors
 */
export function diskError(error: unknown): string | null {
	const text = error instanceof Error ? error.message : String(error)
	return causes.find(([pattern]) => pattern.test(text))?.[1] ?? null
}
