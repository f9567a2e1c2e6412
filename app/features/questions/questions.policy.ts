import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'

/** The author of a text, as far as the policy needs to know. */
interface Owned {
	authorId: number
}

/** Whether this viewer may ask, comment and reply. */
export function mayWrite(viewer: Viewer): boolean {
	return viewer !== null
}

/** Whether this viewer may change a question or a comment: its author, a moderator, an admin. */
export function mayEdit(viewer: Viewer, text: Owned): boolean {
	return viewer !== null && (viewer.id === text.authorId || isModerator(viewer))
}

/**
 * Whether this viewer may read what a text said before its edits: members alone. The present text is everybody's; what its
 * author took out of it is not shown to search engines and passers-by.
 */
export function mayReadHistory(viewer: Viewer): viewer is SignedIn {
	return viewer !== null
}

/** Whether this viewer may delete a question or a comment. */
export function mayDelete(viewer: Viewer, text: Owned): boolean {
	return mayEdit(viewer, text)
}

/** So long the one who deleted something may take it back, in seconds. */
export const UNDO_SECONDS = 600

/** Whether this viewer may take a deletion back: who did it, for a while; a moderator at any time. */
export function mayRestore(viewer: Viewer, deletion: { deletedBy: number | null; recent: boolean }): boolean {
	return viewer !== null && (isModerator(viewer) || (deletion.deletedBy === viewer.id && deletion.recent))
}

/** Whether this viewer may vote on a question or a comment: any member but its author. */
export function mayVote(viewer: Viewer, text: { authorId: number }): boolean {
	return viewer !== null && viewer.id !== text.authorId
}

/** Whether this viewer says what solved a query: whoever asked it, a moderator, an admin. */
export function mayChoose(viewer: Viewer, question: { authorId: number }): boolean {
	return viewer !== null && (viewer.id === question.authorId || isModerator(viewer))
}
