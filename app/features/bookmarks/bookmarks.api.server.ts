import { z } from 'zod'
import { operation, requireCaller } from '~/platform/http/operation.ts'
import { BOOKMARKS_PER_PAGE, MAX_BOOKMARK_NOTE, MAX_BOOKMARK_SEARCH } from './bookmarks.limits.ts'
import { bookmarkKinds } from './bookmarks.schema.ts'
import { listBookmarks, removeBookmark, saveBookmark } from './bookmarks.server.ts'
import type { BookmarkView } from './bookmarks.view.ts'

/* The API of a member's bookmarks, with the use cases of the page. */

const kind = z.enum(bookmarkKinds)
const params = { kind, id: z.coerce.number().int().min(1).max(2_147_483_647) }

const bookmark = z.object({
	kind,
	id: z.int().describe('Of the query or the comment.'),
	post: z
		.object({
			url: z.string().describe('Path that leads to it.'),
			title: z.string().describe('Title of the query.'),
			excerpt: z.string().describe('How the text begins, as plain text.'),
			author: z.object({ username: z.string(), name: z.string() }),
			solved: z.boolean().describe('Whether the query has a solution, or the comment is one.'),
		})
		.nullable()
		.describe('null once it was deleted or hidden.'),
	note: z.string().describe('Plain text, empty for none. Nobody else reads it.'),
	createdAt: z.string().meta({ format: 'date-time' }),
}) satisfies z.ZodType<BookmarkView, BookmarkView>

const bookmarkList = z.object({
	rows: z.array(bookmark),
	next: z.string().nullable().describe('The cursor of the next page; null at the end.'),
})

const bookmarkBody = z.strictObject({
	note: z
		.string()
		.optional()
		.meta({ maxLength: MAX_BOOKMARK_NOTE, description: 'Plain text; empty for none. If left out, the note stays.' }),
})

/** The schema names in the OpenAPI description. */
export const bookmarkShapes = { Bookmark: bookmark, BookmarkList: bookmarkList, SaveBookmark: bookmarkBody }

const group = 'Bookmarks'

export const bookmarkOperations = [
	operation({
		id: 'listBookmarks',
		group,
		method: 'get',
		path: '/me/bookmarks',
		summary: 'List your bookmarks',
		description: `Newest first, ${BOOKMARKS_PER_PAGE} a page. Nobody else sees them.`,
		access: 'members',
		query: {
			q: z.string().max(MAX_BOOKMARK_SEARCH).default('').describe('Words that must all be in the title or the note.'),
			kind: kind.optional().describe('Only queries, or only comments.'),
			cursor: z.string().max(400).optional().describe('Where the page before ended: its `next`.'),
		},
		answer: bookmarkList,
		refusals: [422],
		run: ({ viewer, query: { q, kind = null, cursor = null } }) => listBookmarks(viewer, { search: q, kind, cursor }),
	}),
	operation({
		id: 'saveBookmark',
		group,
		method: 'put',
		path: '/me/bookmarks/{kind}/{id}',
		summary: 'Bookmark a query or a comment, or change the note',
		access: 'members',
		params,
		body: bookmarkBody,
		example: { note: 'Try this on Monday.' },
		answer: null,
		refusals: [404, 422],
		run: async (call) => {
			await saveBookmark(requireCaller(call), call.params, call.body)
		},
	}),
	operation({
		id: 'removeBookmark',
		group,
		method: 'delete',
		path: '/me/bookmarks/{kind}/{id}',
		summary: 'Remove a bookmark',
		description: 'Its note comes back if you bookmark the same again within ten minutes.',
		access: 'members',
		params,
		answer: null,
		run: (call) => removeBookmark(requireCaller(call), call.params),
	}),
]
