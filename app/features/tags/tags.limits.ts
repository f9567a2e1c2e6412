/** What a tag may be: how long, and how it is written. Apart from the schemas, so that the browser can use it without zod. */
export const MAX_TAG = 35
/** Characters of what a moderator writes about a tag. */
export const MAX_TAG_DESCRIPTION = 500

/** A tag as it is stored; '' for what is none, such as `..`, which no address could hold. */
export function toTag(text: string): string {
	const tag = text.trim().replace(/^#+/, '').toLowerCase().replace(/\s+/g, '-')
	return /^\.+$/.test(tag) ? '' : tag
}

/** The tags of a text with commas, each once, as they are stored. */
export function tagsOf(text: string): string[] {
	return [...new Set(text.split(',').map(toTag).filter(Boolean))]
}
