import { z } from 'zod'
import { cleanText, isStorable, unstorableMessage } from '~/lib/clean.ts'
import { MAX_TAG, MAX_TAG_DESCRIPTION, normalizeTag } from './tags.limits.ts'

/** A tag's description: plain text on one line. */
export const descriptionInput = z.object({
	description: z
		.string({ error: 'The description is missing.' })
		.refine(isStorable, unstorableMessage)
		.transform((text) => cleanText(text).replace(/\s+/g, ' ').trim())
		.refine(
			(text) => text.length <= MAX_TAG_DESCRIPTION,
			`A description may have at most ${MAX_TAG_DESCRIPTION} characters.`,
		),
})

const tagName = (missing: string) =>
	z
		.string({ error: missing })
		.refine(isStorable, unstorableMessage)
		.transform((text) => normalizeTag(cleanText(text)))
		.refine((tag) => tag !== '', missing)
		.refine((tag) => !tag.includes(','), 'One tag at a time.')
		.refine((tag) => tag.length <= MAX_TAG, `A tag has at most ${MAX_TAG} characters.`)

/** A synonym: `name` is replaced by `main`. */
export const synonymInput = z
	.object({ name: tagName('Enter the synonym.'), main: tagName('Enter the main tag.') })
	.refine(({ name, main }) => name !== main, { path: ['main'], error: 'These two are the same tag.' })
