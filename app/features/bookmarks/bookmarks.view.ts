import { commentPath, questionUrl } from '~/features/search/search.view.ts'
import { withParams } from '~/lib/addresses.ts'
import type { BookmarkRow } from './bookmarks.queries.server.ts'
import type { BookmarkKind, BookmarkTarget } from './bookmarks.schema.ts'

/** A bookmark as its member sees it. */
export interface BookmarkView extends BookmarkTarget {
	/** The bookmarked post; null once it was deleted or hidden. */
	post: {
		/** Path that leads to it; to a merged question, to the one that it was merged into. */
		url: string
		/** Title of the question. */
		title: string
		/** The beginning of the text; '' if it has only pictures. */
		excerpt: string
		author: { username: string; name: string }
		/** Whether the comment is an accepted answer, or the question has one. */
		solved: boolean
	} | null
	/** Plain text; '' for none. */
	note: string
	/** ISO 8601. */
	createdAt: string
}

/** Filters of the list. */
export interface BookmarkFilter {
	/** Words to find in titles and notes; '' for no search. */
	search: string
	/** null for both. */
	kind: BookmarkKind | null
}

/** A row of the list for its member. Of a post that is gone, only this fact is shown. */
export function presentBookmark(row: BookmarkRow): BookmarkView {
	const { question_id, comment_id, note, created_at, post } = row
	const target: BookmarkTarget =
		comment_id === null ? { kind: 'query', id: question_id } : { kind: 'comment', id: comment_id }
	if (!post) return { ...target, post: null, note, createdAt: created_at }
	const { asker, category, title, excerpt, username, name, solved } = post
	const page = questionUrl({ id: question_id, username: asker, category_slug: category, title })
	const url = target.kind === 'comment' ? commentPath(target.id) : page
	return {
		...target,
		post: { url, title, excerpt: excerpt.trim(), author: { username, name }, solved },
		note,
		createdAt: created_at,
	}
}

/** The address of the list. */
export function bookmarksPath({ search, kind }: BookmarkFilter, cursor: string | null = null): string {
	return withParams('/bookmarks', { q: search, kind, cursor })
}
