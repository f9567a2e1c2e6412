import { factsOf } from '~/lib/context.ts'
import { respondJson } from '~/platform/http/http.ts'
import { receivePostedReport } from '../receiving.server.ts'
import type { Route } from './+types/bounces'

/** Explains the address to people who open it. */
export function loader() {
	return new Response('Mail servers and services post reports on mails here.', {
		status: 405,
		headers: { Allow: 'POST' },
	})
}

/**
 * Receives a report from a sender with the secret. Answers `{ noted }`, whether it changed anything, or `{ message }` with the reason of a
 * refusal.
 */
export function action({ request, context }: Route.ActionArgs) {
	return respondJson(() => receivePostedReport(request, factsOf(context).ip))
}
