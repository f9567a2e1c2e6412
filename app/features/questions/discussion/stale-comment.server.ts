import { Conflict } from '~/lib/errors.ts'
import type { StoredComment } from '../question.view.ts'

/** Another tab, or a moderator, saved an edit of the comment first. `stored` is what they left, and as which version. */
export class StaleComment extends Conflict {
	readonly stored: StoredComment
	constructor(stored: StoredComment) {
		super('This was changed elsewhere in the meantime. Nothing is lost: choose which version to keep.')
		this.stored = stored
	}
}

/**
 * Refuses an edit that came too late. One that says what is stored, as the second half of a double click does, is none.
 * @param stored a comment that the transaction holds
 * @param made what the edit says, and the version it was made from; null when its sender does not say
 * @throws StaleComment
 */
export function refuseStale(stored: StoredComment, made: { body: string; version: number | null }): void {
	if (made.version === null || made.version === stored.version || made.body === stored.body) return
	throw new StaleComment({ body: stored.body, version: stored.version })
}
