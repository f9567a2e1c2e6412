import { isModerator, type Viewer } from '~/lib/viewer.ts'

/** Whether this viewer may vote on a query or a comment: any member but its author. */
export function mayVote(viewer: Viewer, text: { authorId: number }): boolean {
	return viewer !== null && viewer.id !== text.authorId
}

/** Whether this viewer says what solved a query: whoever asked it, a moderator, an admin. */
export function mayChoose(viewer: Viewer, query: { authorId: number }): boolean {
	return viewer !== null && (viewer.id === query.authorId || isModerator(viewer))
}
