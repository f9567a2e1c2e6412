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
