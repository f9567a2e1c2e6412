import { data } from 'react-router'
import { StaleText, withFreshKey } from '~/features/questions/writing/change.server.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { refused } from '~/platform/http/http.ts'
import type { BoxRefusal, StoredComment } from './comment.view.ts'

/** The answer of a box whose text may not be written so, or not now: it comes back to the box with all that was typed. */
export function refusedBox(error: unknown, form: FormData) {
	const { data: refusal, init } = refused(error, form)
	const stored = error instanceof StaleComment ? error.stored : null
	return data<BoxRefusal>({ ...refusal, values: withFreshKey(error, refusal.values), stored }, init ?? {})
}

/** Whether the sender of a text can do something about its refusal; anything else is an error page. */
export function isForBox(error: unknown, form: FormData): boolean {
	return form.has('body') && (error instanceof NotAllowed || error instanceof StaleComment)
}

/** A comment was saved by another edit first. */
export class StaleComment extends StaleText<StoredComment> {}

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
