import { redirect } from 'react-router'
import { commentPath } from '~/features/search/search.view.ts'
import { Invalid } from '~/lib/errors.ts'
import { handleBackgroundForm } from '~/platform/http/form.server.ts'
import { redirectWithToast, refererPath } from '~/platform/http/http.ts'
import { type BookmarkTarget, bookmarkTargetOf } from '../bookmarks.schema.ts'
import { removeBookmark, saveBookmark } from '../bookmarks.server.ts'
import type { Route } from './+types/press'

export function loader() {
	return redirect('/bookmarks')
}

/** Toggles a bookmark: fields `kind` (query or comment), `id`, `value` (1, or 0 to remove it). */
export function action({ request, context }: Route.ActionArgs) {
	return handleBackgroundForm({
		request,
		context,
		act: async (viewer, form) => {
			const value = Number(form.get('value') || Number.NaN)
			if (value !== 0 && value !== 1) throw new Invalid('Send 1 to bookmark, or 0 to remove the bookmark.')
			const target = bookmarkTargetOf(form)
			if (value === 1) await saveBookmark(viewer, target)
			else await removeBookmark(viewer, target)
			const message = value === 1 ? 'Bookmarked. You can add a note under Bookmarks.' : 'Bookmark removed.'
			return {
				value,
				count: 0,
				response: () => redirectWithToast(placeOf(target, request), { type: 'success', message }),
			}
		},
	})
}

/** The page with the button, or the address of the comment. */
function placeOf({ kind, id }: BookmarkTarget, request: Request): string {
	return kind === 'comment' ? commentPath(id) : refererPath(request, '/bookmarks')
}
