import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { questionUrl } from '~/features/search/search.view.ts'
import { isId } from '~/lib/checks.ts'
import { storable } from '~/lib/clean.ts'
import { Invalid, NoSuch, NotFound } from '~/lib/errors.ts'
import { requireSignedIn, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { pipelinedTransaction } from '~/platform/db/transaction.server.ts'
import { decodeTimeCursor, type Page, pageOf } from '~/platform/http/cursors.ts'
import { type Input, parseInput } from '~/platform/http/form.server.ts'
import { BOOKMARKS_PER_PAGE, MAX_BOOKMARK_SEARCH, MAX_BOOKMARK_WORDS, MAX_BOOKMARKS } from './bookmarks.limits.ts'
import {
	countBookmarks,
	deleteRemovedBookmarks,
	findBookmarkRef,
	listBookmarkRows,
	lockQuestionShared,
	markBookmarkRemoved,
	restoreBookmarkRow,
	writeBookmark,
	writeBookmarkNote,
} from './bookmarks.queries.server.ts'
import { type BookmarkTarget, bookmarkInput } from './bookmarks.schema.ts'
import { type BookmarkFilter, type BookmarkView, presentBookmark } from './bookmarks.view.ts'

/* A member's bookmarks. They are private, whatever the viewer's role: every statement is restricted to the viewer's id. */

/**
 * A page of the viewer's bookmarks, newest first.
 * @param input.search all of its words must be in the title or the note
 * @throws NotAllowed for a visitor, Invalid for an invalid cursor
 */
export async function listBookmarks(
	viewer: Viewer,
	{ search, kind, cursor }: BookmarkFilter & { cursor: string | null },
): Promise<Page<BookmarkView>> {
	const { id } = requireSignedIn(viewer)
	const found = await listBookmarkRows(id, {
		words: wordsOf(search),
		kind,
		cursor: cursor ? decodeTimeCursor(cursor) : null,
		limit: BOOKMARKS_PER_PAGE + 1,
	})
	const { rows, next } = pageOf(found, BOOKMARKS_PER_PAGE, ({ created_at, id }) => [created_at, id])
	return { rows: rows.map(presentBookmark), next }
}

/**
 * Bookmarks a public question or comment. Idempotent, except for the note.
 * @param input `note`; without one, the present one is kept
 * @returns the path of the question
 * @throws NotAllowed for a visitor, NotFound, Invalid with an error of the note or if the member has too many, TooManyRequests
 */
export async function saveBookmark(
	viewer: Viewer,
	target: BookmarkTarget,
	input: Input = {},
): Promise<{ url: string }> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	const { note } = parseInput(bookmarkInput, input)
	const gone = new NoSuch(target.kind)
	const place = isId(target.id) ? await findBookmarkRef(target) : undefined
	if (!place) throw gone
	await pipelinedTransaction(async (trx, last) => {
		const [, present] = await Promise.all([
			// Whoever erases a post has locked its question.
			lockQuestionShared(trx, place.question_id),
			findBookmarkRef(target, trx),
			requireRoom(trx, member, target),
		])
		if (!present) throw gone
		await last(writeBookmark(trx, member.id, place, note))
	})
	return { url: questionUrl({ ...place, id: place.question_id }) }
}

/**
 * Writes the note of a bookmark, even if its post is gone.
 * @param input `note`; '' for none
 * @throws NotAllowed for a visitor, Invalid with an error of the note, NotFound without such a bookmark, TooManyRequests
 */
export async function saveBookmarkNote(viewer: Viewer, target: BookmarkTarget, input: Input): Promise<void> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	const { note = '' } = parseInput(bookmarkInput, input)
	const isWritten = isId(target.id) && (await writeBookmarkNote(member.id, target, note))
	if (!isWritten) throw new NotFound('You removed this bookmark. Bookmark the page again to write a note.')
}

/** Removes a bookmark. Idempotent. @throws NotAllowed for a visitor, TooManyRequests */
export async function removeBookmark(viewer: Viewer, target: BookmarkTarget): Promise<void> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	if (isId(target.id)) await markBookmarkRemoved(member.id, target)
}

/**
 * Undoes the removal of a bookmark within ten minutes; it keeps its place and its note.
 * @throws NotAllowed for a visitor, NotFound after that time, Invalid if the member has too many, TooManyRequests
 */
export async function restoreBookmark(viewer: Viewer, target: BookmarkTarget): Promise<void> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	const isBack =
		isId(target.id) &&
		(await pipelinedTransaction(async (trx, last) => {
			await requireRoom(trx, member, target)
			return last(restoreBookmarkRow(trx, member.id, target))
		}))
	if (!isBack) throw new NotFound('It is too late to undo this. Bookmark the page again.')
}

/** Deletes a batch of removed bookmarks. @returns their number */
export function sweepBookmarks(): Promise<number> {
	return deleteRemovedBookmarks(10_000)
}

/**
 * Throws Invalid if the member has no room for one more. Locks the member's row, so that concurrent requests cannot exceed the limit. Its
 * statements begin at once.
 */
async function requireRoom(trx: Executor, { id }: SignedIn, target: BookmarkTarget): Promise<void> {
	const [, count] = await Promise.all([lockMember(trx, id), countBookmarks(trx, id, target)])
	if (count >= MAX_BOOKMARKS)
		throw new Invalid(`You already have ${MAX_BOOKMARKS.toLocaleString('en')} bookmarks. Remove one first.`)
}

function wordsOf(search: string): string[] {
	const words = storable(search.slice(0, MAX_BOOKMARK_SEARCH)).split(/\s+/).filter(Boolean)
	return [...new Set(words)].slice(0, MAX_BOOKMARK_WORDS)
}
