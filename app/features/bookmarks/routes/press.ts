import { redirect } from 'react-router'
import { commentPath } from '~/features/search/search.view.ts'
import { handleBackgroundForm, requireToggle } from '~/platform/http/form.server.ts'
import { redirectWithSuccess, refererPath } from '~/platform/http/http.ts'
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
		work: async (viewer, form) => {
			const value = requireToggle(form, 'Send 1 to bookmark, or 0 to remove the bookmark.')
			const target = bookmarkTargetOf(form)
			if (value === 1) await saveBookmark(viewer, target)
			else await removeBookmark(viewer, target)
			const message = value === 1 ? 'Bookmarked. You can add a note under Bookmarks.' : 'Bookmark removed.'
			return {
				value,
				count: 0,
				response: () => redirectWithSuccess(placeOf(target, request), message),
			}
		},
	})
}

/** The page with the button, or the address of the comment. */
function placeOf({ kind, id }: BookmarkTarget, request: Request): string {
	return kind === 'comment' ? commentPath(id) : refererPath(request, '/bookmarks')
}
