import { z } from 'zod'
import { limits } from '~/features/questions/questions.limits.ts'
import { toTag } from '~/features/questions/questions.schema.ts'
import { cleanText, isStorable } from '~/lib/clean.ts'

const unstorable = 'The text contains an invalid character (NUL).'

/** What a tag's description may be: plain text on one line. */
export const descriptionInput = z.object({
	description: z
		.string({ error: 'The description is missing.' })
		.refine(isStorable, unstorable)
		.transform((text) => cleanText(text).replace(/\s+/g, ' ').trim())
		.refine(
			(text) => text.length <= limits.tagDescriptionMax,
			`A description may have at most ${limits.tagDescriptionMax} characters.`,
		),
})

const tagName = (missing: string) =>
	z
		.string({ error: missing })
		.refine(isStorable, unstorable)
		.transform((text) => toTag(cleanText(text)))
		.refine((tag) => tag !== '', missing)
		.refine((tag) => !tag.includes(','), 'One tag at a time.')
		.refine((tag) => tag.length <= limits.tagMax, `A tag has at most ${limits.tagMax} characters.`)

/** Two tags that mean the same: what is written as `name` is kept as `main`. */
export const synonymInput = z
	.object({ name: tagName('Enter the synonym.'), main: tagName('Enter the main tag.') })
	.refine(({ name, main }) => name !== main, { path: ['main'], error: 'These two are the same tag.' })
