import { data } from 'react-router'
import { log } from '~/lib/log.server.ts'
import { textsOf } from '~/platform/http/form-texts.ts'
import { refused } from '~/platform/http/http.ts'
import { withFreshKey } from '../writing/repeats.server.ts'
import type { AskRefusal } from './components/send.ts'
import { StaleQuery } from './stale.server.ts'

/** The answer of an ask form that was not published. Nothing that was typed is lost, whatever went wrong. */
export function refusedAsk(error: unknown, form: FormData) {
	if (error instanceof Response) throw error
	const stored = error instanceof StaleQuery ? error.stored : null
	try {
		const { data: refusal, init } = refused(error, form)
		return data<AskRefusal>({ ...refusal, values: withFreshKey(error, refusal.values), stored }, init ?? {})
	} catch {
		log.error({ err: error }, 'a query could not be published')
		return data<AskRefusal>(
			{ message: 'Something went wrong. Try again!', errors: {}, values: textsOf(form), stored },
			{ status: 500 },
		)
	}
}
