/** A tag as it is stored; '' for what is none, such as `..`, which no address could hold. */
export function toTag(text: string): string {
	const tag = text.trim().replace(/^#+/, '').toLowerCase().replace(/\s+/g, '-')
	return /^\.+$/.test(tag) ? '' : tag
}

/** The tags of a text with commas, each once, as they are stored. */
export function tagsOf(text: string): string[] {
	return [...new Set(text.split(',').map(toTag).filter(Boolean))]
}
