import { data } from 'react-router'
import { NotAllowed } from '~/lib/errors.ts'
import { refused } from '~/platform/http/http.ts'
import { withFreshKey } from '../writing/repeats.server.ts'
import type { BoxRefusal } from './components/discussion-context.ts'
import { StaleComment } from './stale-comment.server.ts'

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
