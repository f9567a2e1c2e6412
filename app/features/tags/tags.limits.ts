import { isBlank } from '~/lib/clean.ts'

/* The syntax of tags. Separate from the schemas, so that the browser needs no zod. */

/** Characters of a tag. */
export const MAX_TAG = 35
/** Characters of a tag's description. */
export const MAX_TAG_DESCRIPTION = 500

/** Normalizes a tag; '' for an invalid one, such as `..`, which cannot be in an address. */
export function normalizeTag(text: string): string {
	const tag = text.trim().replace(/^#+/, '').toLowerCase().replace(/\s+/g, '-')
	return /^\.+$/.test(tag) || isBlank(tag) ? '' : tag
}

/** The normalized tags of a comma-separated text, without duplicates. */
export function parseTags(text: string): string[] {
	return [...new Set(text.split(',').map(normalizeTag).filter(Boolean))]
}
