import { factsOf } from '~/lib/context.ts'
import { answeringJson } from '~/platform/http/http.ts'
import { takePosted } from '../taking.server.ts'
import type { Route } from './+types/bounces'

/** Says what is sent here, to who looks at the address. */
export function loader() {
	return new Response('Mail servers and services post reports on mails here.', {
		status: 405,
		headers: { Allow: 'POST' },
	})
}

/** Takes in a report on a mail, from who has the secret: `{ noted }`, whether it brought news, or `{ message }` with why it is refused. */
export function action({ request, context }: Route.ActionArgs) {
	return answeringJson(() => takePosted(request, factsOf(context).ip))
}
