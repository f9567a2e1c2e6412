import { z } from 'zod'
import {
	MAX_PARENTS,
	MAX_TERM_DESCRIPTION,
	MAX_TERM_NAME,
	MAX_TERM_TAG,
	tagOfName,
} from '~/features/terms/terms.view.ts'
import { cleanLine, isStorable, unstorableMessage } from '~/lib/clean.ts'

/** A spelling, valid for skills and tags. */
const spelling = (missing: string) =>
	z
		.string({ error: missing })
		.refine(isStorable, unstorableMessage)
		.transform(cleanLine)
		.refine((text) => text !== '', missing)
		.refine((text) => !text.includes(','), 'One word at a time, without commas.')
		.refine((text) => text.length <= MAX_TERM_NAME, `A word has at most ${MAX_TERM_NAME} characters.`)

/** A new name, from which a tag can be derived. */
const name = spelling('Enter the name.').refine((text) => {
	const tag = tagOfName(text)
	return tag !== '' && !/^\.+$/.test(tag)
}, 'A name needs a letter or a digit.')

const newName = name.refine(
	(text) => tagOfName(text).length <= MAX_TERM_TAG,
	`The tag of this name would have more than ${MAX_TERM_TAG} characters.`,
)

export const termNameInput = z.object({ name })
export const newTermInput = z.object({ name: newName })
export const aliasInput = z.object({ alias: spelling('Enter the other spelling.') })
export const wordInput = z.object({ word: spelling('Enter the word.') })
export const mergeTargetInput = z.object({ into: spelling('Enter the term to merge it into.') })
/** As {@link mergeTargetInput}, for a word that is no term yet. */
export const newTargetInput = z.object({ into: newName })

/** The description and parents of a term: names separated by commas. */
export const aboutInput = z.object({
	description: z
		.string({ error: 'The description is missing.' })
		.refine(isStorable, unstorableMessage)
		.transform((text) => cleanLine(text))
		.refine(
			(text) => text.length <= MAX_TERM_DESCRIPTION,
			`A description may have at most ${MAX_TERM_DESCRIPTION} characters.`,
		),
	parents: z
		.string({ error: 'The parents are missing.' })
		.refine(isStorable, unstorableMessage)
		.transform((text) => [...new Set(text.split(',').map(cleanLine).filter(Boolean))])
		.refine((names) => names.length <= MAX_PARENTS, `A term is part of at most ${MAX_PARENTS} others.`)
		.optional(),
})
