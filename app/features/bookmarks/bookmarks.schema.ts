import { z } from 'zod'
import { cleanText, isStorable } from '~/lib/clean.ts'
import { Invalid } from '~/lib/errors.ts'
import { MAX_BOOKMARK_NOTE } from './bookmarks.limits.ts'

/** What is bookmarked: a question or a comment. */
export const bookmarkKinds = ['query', 'comment'] as const
export type BookmarkKind = (typeof bookmarkKinds)[number]

/** One thing that can be bookmarked. */
export interface BookmarkTarget {
	kind: BookmarkKind
	/** Of the question or the comment. */
	id: number
}

/** A kind as an address or a form names it; null for anything else. */
export function kindOf(text: unknown): BookmarkKind | null {
	return bookmarkKinds.find((kind) => kind === text) ?? null
}

/** What a form names by its fields `kind` and `id`; the id may be of nothing. @throws Invalid without a kind */
export function targetOf(form: FormData): BookmarkTarget {
	const kind = kindOf(form.get('kind'))
	if (!kind) throw new Invalid('Give a query or a comment.')
	return { kind, id: Number(form.get('id') || Number.NaN) }
}

/** What a form or a program says of a bookmark. Without a note, the one that there is stays. */
export const bookmarkInput = z.object({
	note: z
		.string('A note is a text.')
		.refine(isStorable, 'The note contains an invalid character (NUL).')
		.transform((text) => cleanText(text).trim())
		.refine((text) => text.length <= MAX_BOOKMARK_NOTE, `A note has at most ${MAX_BOOKMARK_NOTE} characters.`)
		.optional(),
})
