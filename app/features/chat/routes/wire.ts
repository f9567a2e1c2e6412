import { isRecord } from '~/lib/checks.ts'
import { NotAllowed } from '~/lib/errors.ts'
import { respondToMember } from '~/platform/http/http.ts'
import { markSeen } from '../messages/reading.server.ts'
import { handleSend } from '../messages/sending.server.ts'
import type { Route } from './+types/wire'

/**
 * Chat events of a tab whose network blocks sockets, as JSON: `{ me, clientId, body }` sends a message, `{ me, upTo, read }` is a
 * receipt. `me` is the member that the tab's page was made for: if another one has logged in since, nothing is sent in their name.
 */
export function action({ request, params: { username }, context }: Route.ActionArgs) {
	return respondToMember(context, async (viewer) => {
		const body: unknown = await request.json().catch(() => null)
		const words = isRecord(body) ? body : {}
		if (words.me !== viewer.username)
			throw new NotAllowed('Someone else has logged in in this browser. Reload the page.')
		if (!('upTo' in words)) return (await handleSend(viewer, { ...words, to: username }, null)).reply
		await markSeen(viewer, { with: username, upTo: words.upTo, read: words.read })
		return { ok: true }
	})
}

export function loader() {
	return new Response(null, { status: 405, headers: { Allow: 'POST' } })
}
