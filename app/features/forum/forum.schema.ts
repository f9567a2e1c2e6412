import { z } from 'zod'
import { limits } from './forum.limits.ts'

// PostgreSQL stores neither NUL nor half of a surrogate pair.
const clean = z
	.string()
	.transform((text) => text.replaceAll('\r\n', '\n').toWellFormed())
	.refine((text) => !text.includes('\u0000'), 'The text holds a character that cannot be stored (NUL).')

/** Tags as they are stored: from one comma-separated text, lower-cased, without doubles, spaces as hyphens. */
export const tagsInput = clean
	.transform((text) => [...new Set(text.split(',').map(toTag).filter(Boolean))])
	.refine((tags) => tags.length > 0, 'At least one tag is required!')
	.refine((tags) => tags.length <= limits.tagsMax, `A query has at most ${limits.tagsMax} tags.`)
	.refine((tags) => tags.every((tag) => tag.length <= limits.tagMax), `A tag has at most ${limits.tagMax} characters.`)

/** What the ask and edit forms send. */
export const askInput = z.object({
	title: clean
		.transform((text) => text.replace(/\s+/g, ' ').trim())
		.refine((title) => title.length >= limits.titleMin, `The title needs at least ${limits.titleMin} characters.`)
		.refine((title) => title.length <= limits.titleMax, `The title may have at most ${limits.titleMax} characters.`),
	description: clean
		.refine((text) => text.trim().length > 0, 'The description is required!')
		.refine((text) => text.length <= limits.descriptionMax, `The description may have at most ${limits.descriptionMax.toLocaleString('en')} characters.`),
	tags: tagsInput,
	category: z.string({ error: 'Category field is required!' }).min(1, 'Category field is required!').max(60),
})

/** What a comment, a reply or an edited comment sends. */
export const commentInput = z.object({
	body: clean
		.refine((text) => text.trim().length > 0, 'Write something first.')
		.refine((text) => text.length <= limits.commentMax, `A comment may have at most ${limits.commentMax.toLocaleString('en')} characters.`),
})

/** A tag as it is stored. */
export function toTag(text: string): string {
	return text.trim().replace(/^#+/, '').toLowerCase().replace(/\s+/g, '-')
}
