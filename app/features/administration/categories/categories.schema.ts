import { z } from 'zod'
import { MAX_TAG, parseTags } from '~/features/tags/tags.limits.ts'
import { slugOf } from '~/lib/addresses.ts'
import { cleanLine, isStorable, unstorableMessage } from '~/lib/clean.ts'
import {
	MAX_CATEGORY_DESCRIPTION,
	MAX_CATEGORY_SLUG,
	MAX_CATEGORY_TITLE,
	MAX_REQUIRED_TAGS,
} from './categories.view.ts'

/** Path segments below /forum that cannot be slugs. */
const RESERVED = [
	...['ask', 'bookmark', 'category', 'comment', 'drafts', 'edit', 'feed', 'follow', 'following', 'history'],
	...['new', 'preview', 'recent', 'search', 'tag', 'tags', 'vote'],
]

const line = (missing: string) =>
	z
		.string({ error: missing })
		.refine(isStorable, unstorableMessage)
		.transform((text) => cleanLine(text))

/** The form of a category. Without a slug, one is derived from the name. */
export const categoryInput = z
	.object({
		title: line('Enter the name.')
			.refine((text) => text !== '', 'Enter the name.')
			.refine((text) => text.length <= MAX_CATEGORY_TITLE, `A name has at most ${MAX_CATEGORY_TITLE} characters.`),
		slug: line('Enter the address.').transform((text) => text.toLowerCase()),
		description: line('The description is missing.').refine(
			(text) => text.length <= MAX_CATEGORY_DESCRIPTION,
			`A description has at most ${MAX_CATEGORY_DESCRIPTION} characters.`,
		),
		requiredTags: line('The tags are missing.')
			.default('')
			.transform(parseTags)
			.refine((tags) => tags.length <= MAX_REQUIRED_TAGS, `Choose at most ${MAX_REQUIRED_TAGS} tags.`)
			.refine((tags) => tags.every((tag) => tag.length <= MAX_TAG), `A tag has at most ${MAX_TAG} characters.`),
		asking: z.enum(['everybody', 'verified', 'staff'], { error: 'Choose who may ask there.' }),
	})
	.transform((sent) => ({ ...sent, slug: sent.slug || slugOf(sent.title, MAX_CATEGORY_SLUG) }))
	.superRefine(({ slug }, context) => {
		const refuse = (message: string) => context.addIssue({ code: 'custom', path: ['slug'], message })
		if (slug === '')
			refuse('No address can be made from this name. Enter one of letters from a to z, digits and hyphens.')
		else if (!/^[a-z0-9]+(-[a-z0-9]+)*$/.test(slug))
			refuse('An address can only contain letters from a to z, digits and hyphens.')
		else if (slug.length > MAX_CATEGORY_SLUG) refuse(`An address has at most ${MAX_CATEGORY_SLUG} characters.`)
		else if (RESERVED.includes(slug)) refuse('The forum itself uses this address. Choose another one.')
	})

export type CategoryTexts = z.output<typeof categoryInput>

export const mergeInput = z.object({ into: z.string({ error: 'Choose a category.' }).min(1, 'Choose a category.') })
