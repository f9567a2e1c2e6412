import { z } from 'zod'
import { cleanText, isStorable } from '~/lib/clean.ts'
import { Invalid } from '~/lib/errors.ts'
import { MAX_BOOKMARK_NOTE } from './bookmarks.limits.ts'

/** What can be bookmarked: a question (called query in the API) or a comment. */
export const bookmarkKinds = ['query', 'comment'] as const
export type BookmarkKind = (typeof bookmarkKinds)[number]

export interface BookmarkTarget {
	kind: BookmarkKind
	/** Id of the question or the comment. */
	id: number
}

/** Parses the kind in an address or a form; null for anything else. */
export function bookmarkKindOf(text: unknown): BookmarkKind | null {
	return bookmarkKinds.find((kind) => kind === text) ?? null
}

/** The target in the form fields `kind` and `id`; the id may not exist. @throws Invalid without a kind */
export function bookmarkTargetOf(form: FormData): BookmarkTarget {
	const kind = bookmarkKindOf(form.get('kind'))
	if (!kind) throw new Invalid('Give a query or a comment.')
	return { kind, id: Number(form.get('id') || Number.NaN) }
}

/** Input for saving a bookmark. Without a note, the present one is kept. */
export const bookmarkInput = z.object({
	note: z
		.string('A note is a text.')
		.refine(isStorable, 'The note contains an invalid character (NUL).')
		.transform((text) => cleanText(text).trim())
		.refine((text) => text.length <= MAX_BOOKMARK_NOTE, `A note has at most ${MAX_BOOKMARK_NOTE} characters.`)
		.optional(),
})
