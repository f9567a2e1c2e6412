import { z } from 'zod'
import { cleanText, isStorable } from '~/lib/clean.ts'
import { limits } from '../questions.limits.ts'

/** A text that is not finished: it may be empty, but neither larger nor other than what the form itself lets through. */
const unfinished = (most: number) =>
	z
		.string()
		.max(most, 'This is too long for a draft.')
		.refine(isStorable, 'The text contains an invalid character (NUL).')
		.transform(cleanText)

/** Names the form of a draft: a new query, or the edit of one. */
export const draftKey = z.string().regex(/^(ask|edit:[1-9]\d{0,9})$/, 'There is no such form.')

/** What a tab sends while somebody types. */
export const draftInput = z.object({
	key: draftKey,
	title: unfinished(limits.titleMax),
	// A browser counts a line end as one character and sends two.
	description: unfinished(limits.descriptionMax * 2).refine(
		(text) => text.length <= limits.descriptionMax,
		'This is too long for a draft.',
	),
	tags: unfinished(1_000),
	category: unfinished(60),
	madeFrom: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
	/** The save that this one follows; 0 for the first. */
	version: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
})
