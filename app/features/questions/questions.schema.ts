import { z } from 'zod'
import { MAX_TAG, parseTags } from '~/features/tags/tags.limits.ts'
import { cleanText, isBlank, isStorable } from '~/lib/clean.ts'
import { postLimits } from './questions.limits.ts'

/** A required text, without characters that PostgreSQL cannot store. */
const clean = (missing: string) =>
	z.string({ error: missing }).refine(isStorable, 'The text contains an invalid character (NUL).').transform(cleanText)

const tagsMissing = 'At least one tag is required!'

/** Tags from one comma-separated text or several: in lower case, unique, with hyphens for spaces. */
const tagsInput = z
	.union([clean(tagsMissing), z.array(clean(tagsMissing)).transform((texts) => texts.join(','))], {
		error: tagsMissing,
	})
	.transform(parseTags)
	.refine((tags) => tags.length > 0, tagsMissing)
	.refine((tags) => tags.length <= postLimits.tagsMax, `A query has at most ${postLimits.tagsMax} tags.`)
	.refine((tags) => tags.every((tag) => tag.length <= MAX_TAG), `A tag has at most ${MAX_TAG} characters.`)

/** Input of the ask and edit forms. */
export const askInput = z.object({
	title: clean('The title is required!')
		.transform((text) => text.replace(/\s+/g, ' ').trim())
		.refine((title) => !title || !isBlank(title), 'The title is required!')
		.refine(
			(title) => title.length >= postLimits.titleMin,
			`The title needs at least ${postLimits.titleMin} characters.`,
		)
		.refine(
			(title) => title.length <= postLimits.titleMax,
			`The title may have at most ${postLimits.titleMax} characters.`,
		),
	description: clean('The description is required!')
		.transform((text) => text.trimEnd())
		.refine((text) => !isBlank(text), 'The description is required!')
		.refine(
			(text) => text.length <= postLimits.descriptionMax,
			`The description may have at most ${postLimits.descriptionMax.toLocaleString('en')} characters.`,
		),
	tags: tagsInput,
	category: z
		.string({ error: 'Category field is required!' })
		.min(1, 'Category field is required!')
		.max(60)
		.refine(isStorable, 'Category field is required!'),
})

/** Whether a new question is asked under a pseudonym: a checkbox of the form, or a boolean. */
export const pseudonymInput = z.object({
	pseudonym: z.preprocess((value) => value === true || value === 'on' || value === 'true', z.boolean()),
})

/** Input of the preview: a possibly incomplete description, and the tags. */
export const previewInput = z.object({
	description: clean('The description is required!').refine(
		(text) => text.length <= postLimits.descriptionMax,
		`The description may have at most ${postLimits.descriptionMax.toLocaleString('en')} characters.`,
	),
	tags: clean('').catch(''),
})

/** The idempotency key of a submission, so that a retry does not create a second post; null for none. */
export const keyInput = z.object({
	key: z.preprocess(
		(value) => (value === '' ? undefined : value),
		z
			.string()
			.regex(/^[\x21-\x7e]{1,100}$/, 'An idempotency key has 1 to 100 characters, without spaces.')
			.nullable()
			.default(null),
	),
})

/** Input of a new or edited comment or reply. */
export const commentInput = z.object({
	body: clean('Write something first.')
		.transform((text) => text.trimEnd())
		.refine((text) => !isBlank(text), 'Write something first.')
		.refine(
			(text) => text.length <= postLimits.commentMax,
			`A comment may have at most ${postLimits.commentMax.toLocaleString('en')} characters.`,
		),
})

/** The text of a draft: it may be empty, but not larger than the form allows. */
const unfinished = (most: number) =>
	z
		.string()
		.max(most, 'This is too long for a draft.')
		.refine(isStorable, 'The text contains an invalid character (NUL).')
		.transform(cleanText)

/** Names the form of a draft: a new question, or the edit of one. */
export const draftKey = z.string().regex(/^(ask|edit:[1-9]\d{0,9})$/, 'There is no such form.')

/** A draft, as a tab saves it while its author is typing. */
export const draftInput = z.object({
	key: draftKey,
	title: unfinished(postLimits.titleMax),
	// A browser counts a line end as one character and sends two.
	description: unfinished(postLimits.descriptionMax * 2).refine(
		(text) => text.length <= postLimits.descriptionMax,
		'This is too long for a draft.',
	),
	tags: unfinished(1_000),
	category: unfinished(60),
	pseudonym: pseudonymInput.shape.pseudonym,
	madeFrom: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
	/** The version that this save follows; 0 for the first. */
	version: z.coerce.number().int().min(0).max(2_147_483_647).default(0),
})
