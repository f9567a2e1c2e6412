import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'

/** The author of a text. */
interface Owned {
	authorId: number
}

/** Whether this viewer may change a question or a comment: its author, a moderator, an admin. */
export function mayEdit(viewer: Viewer, text: Owned): boolean {
	return viewer !== null && (viewer.id === text.authorId || isModerator(viewer))
}

/**
 * Whether this viewer may read earlier versions of a text: members only. The current text is public; what its author removed is not
 * shown to search engines and visitors.
 */
export function mayReadHistory(viewer: Viewer): viewer is SignedIn {
	return viewer !== null
}

/** Whether this viewer may delete a question or a comment. */
export function mayDelete(viewer: Viewer, text: Owned): boolean {
	return mayEdit(viewer, text)
}

/** Seconds within which a deletion can be undone by whoever made it. */
export const UNDO_SECONDS = 600

/** Whether this viewer may undo a deletion: whoever deleted it, for a while; a moderator at any time. */
export function mayRestore(viewer: Viewer, deletion: { deletedBy: number | null; recent: boolean }): boolean {
	return viewer !== null && (isModerator(viewer) || (deletion.deletedBy === viewer.id && deletion.recent))
}

/** Whether this viewer may vote on a question or a comment: any member but its author. */
export function mayVote(viewer: Viewer, text: { authorId: number }): boolean {
	return viewer !== null && viewer.id !== text.authorId
}

/** Whether this viewer may accept solutions of a question: its author, a moderator, an admin. */
export function mayAccept(viewer: Viewer, question: { authorId: number }): boolean {
	return viewer !== null && (viewer.id === question.authorId || isModerator(viewer))
}

/** Of a question as its page shows it: who deleted it, and why it is not published; null if neither is so. */
interface Standing {
	deletedBy: string | null
	unpublished: { status: string } | null
}

/** Whether nobody can write or vote below a question, as it was deleted or is not published. */
export function isClosed({ deletedBy, unpublished }: Standing): boolean {
	return deletedBy !== null || unpublished !== null
}

/** Whether a question can be reported: it is published, or merged and so still read by everybody. */
export function isReportable(question: Standing): boolean {
	return question.deletedBy === null && areCommentsReportable(question)
}

/** Whether the comments below a question can be reported, as everybody reads them: also where it was deleted, and only they are left. */
export function areCommentsReportable({ unpublished }: Pick<Standing, 'unpublished'>): boolean {
	return unpublished === null || unpublished.status === 'merged'
}
