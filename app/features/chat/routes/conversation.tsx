import { randomUUID } from 'node:crypto'
import { answering, signedIn } from '~/lib/http.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { ConversationPane } from '../components/conversation-pane.tsx'
import { Inbox } from '../components/inbox.tsx'
import { listConversations } from '../inbox.server.ts'
import { listOlder, openConversation } from '../reading.server.ts'
import type { Route } from './+types/conversation'
import { answerForm } from './conversation-action.server.ts'
import { numberIn } from './who.server.ts'

/** A conversation beside the list of all; `?before=` shows the messages before one, for browsers without scripts. */
export function loader({ params: { username }, context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const viewer = signedIn(context, url)
		const before = numberIn(url.searchParams, 'before')
		const [page, inbox, requests, older] = await Promise.all([
			openConversation(viewer, username),
			listConversations(viewer),
			listConversations(viewer, { requests: true }),
			before === null ? null : listOlder(viewer, username, before),
		])
		// The form's own id of the message that it will send: pressed twice, it is sent once.
		return { page, inbox, requests: requests.conversations, older, clientId: randomUUID() }
	})
}

export async function action({ request, params: { username }, context, url }: Route.ActionArgs) {
	const viewer = signedIn(context, url)
	const scripted = new URL(request.url).pathname.endsWith('.data')
	return answerForm({ viewer, username, form: await request.formData(), scripted })
}

export function meta({ matches, loaderData }: Route.MetaArgs) {
	return pageMeta(matches, { title: loaderData?.page.peer.name ?? 'Messages', noindex: true })
}

export default function ConversationRoute({ loaderData, actionData }: Route.ComponentProps) {
	const { page, older, clientId } = loaderData
	const refused = actionData?.ok === false ? actionData : null
	return (
		<Inbox data={loaderData} current={page.peer.username}>
			<ConversationPane page={page} older={older} clientId={clientId} refused={refused} />
		</Inbox>
	)
}
