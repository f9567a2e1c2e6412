/** What a form says, without its files. */
export function textsOf(form: FormData): Record<string, string> {
	return Object.fromEntries([...form].filter((pair): pair is [string, string] => typeof pair[1] === 'string'))
}
