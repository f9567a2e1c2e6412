import { randomUUID } from 'node:crypto'
import { listMessagesAt, openConversation } from '~/features/chat/messages/reading.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { viewerOf } from '~/lib/context.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { readForm, readText } from '~/platform/http/form.server.ts'
import { numberParam, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { ConversationPane } from '../components/conversation-pane.tsx'
import { Inbox } from '../components/inbox.tsx'
import { listConversations } from '../inbox.server.ts'
import { searchOwnMessages } from '../search/search.server.ts'
import type { Route } from './+types/conversation'
import { handleConversationAction } from './conversation-action.server.ts'

/**
 * A conversation beside the list, or with `?q=` beside search results, from `?from=` on. `?message=` opens it at a message; `?before=`
 * and `?after=` page through it, for browsers without scripts.
 */
export function loader({ params: { username }, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const q = url.searchParams.get('q')?.trim() ?? ''
		const from = numberParam(url.searchParams, 'from')
		const position = positionIn(url.searchParams)
		if (q !== '') await countUse('messageSearch', viewer)
		const [[page, part], found, inbox, requests] = await Promise.all([
			openAt(viewer, username, position),
			q === '' ? null : searchOwnMessages(viewer, q, from),
			q === '' ? listConversations(viewer) : null,
			q === '' ? listConversations(viewer, { requests: true }) : null,
		])
		const beside = { inbox, requests, q, from, found }
		const message = position && 'around' in position ? position.around : null
		// The id of the next message is part of the form, so that sending it twice stores one message.
		return { ...beside, page, part, message, clientId: randomUUID() }
	})
}

/** The position that the address selects: `message`, `before` or `after`; null for the end. */
function positionIn(params: URLSearchParams): { around: number } | { before: number } | { after: number } | null {
	const [around, before, after] = ['message', 'before', 'after'].map((name) => numberParam(params, name))
	if (around != null) return { around }
	if (before != null) return { before }
	return after == null ? null : { after }
}

/** The part is read after the page: changes since the page's version are in the part or in the live stream. */
async function openAt(viewer: SignedIn, username: string, position: ReturnType<typeof positionIn>) {
	const page = await openConversation(viewer, username)
	return [page, position && (await listMessagesAt(viewer, username, position))] as const
}

export async function action({ request, params: { username }, context, url }: Route.ActionArgs) {
	const viewer = viewerOf(context) ?? requireLogin(context, await addressOfForm(request, url))
	const scripted = new URL(request.url).pathname.endsWith('.data')
	return handleConversationAction({ viewer, username, form: await readForm(request), scripted })
}

/** The address to return to if the session has ended: the page at the message that the form changes or reports. */
async function addressOfForm(request: Request, url: URL): Promise<URL> {
	// Multipart bodies, which may contain pictures, are not read.
	if (!request.headers.get('Content-Type')?.startsWith('application/x-www-form-urlencoded')) return url
	const form = await readForm(request)
	const intent = readText(form, 'intent')
	const opened = new URL(url)
	if (intent === 'edit' || intent === 'report')
		for (const name of ['message', intent]) opened.searchParams.set(name, readText(form, 'id'))
	return opened
}

export function meta({ matches, loaderData }: Route.MetaArgs) {
	return pageMeta(matches, { title: loaderData?.page.peer.name ?? 'Messages', noindex: true })
}

export default function ConversationRoute({ loaderData, actionData }: Route.ComponentProps) {
	const { page, part, message, clientId } = loaderData
	const refused = actionData?.ok === false ? actionData : null
	return (
		<Inbox data={loaderData} current={page.peer.username}>
			<ConversationPane page={page} part={part} target={message} clientId={clientId} refused={refused} />
		</Inbox>
	)
}
