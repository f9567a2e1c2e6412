import { randomUUID } from 'node:crypto'
import { Form, Link } from 'react-router'
import { answering, signedIn } from '~/lib/http.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { listConversations } from '../inbox.server.ts'
import type { ChatMessage } from '../protocol.ts'
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

export default function Conversation({ loaderData: { page, older, clientId }, actionData }: Route.ComponentProps) {
	const { peer, state } = page
	const shown = older ?? page
	const refusal = actionData && 'errors' in actionData ? actionData : null
	const last = page.messages.at(-1)?.id ?? 0
	return (
		<div className="max-w-[44rem] pt-6">
			<h1 className="text-2xl font-bold">{peer.name}</h1>
			<Link to="/messages">All messages</Link>
			{shown.older && <Link to={`?before=${shown.messages[0]?.id}`}>Older messages</Link>}
			{shown.messages.length === 0 && <p>No chat found!</p>}
			<ol aria-label="Messages">
				{shown.messages.map((message) => (
					<Message key={message.id} message={message} own={message.sender !== peer.username} />
				))}
			</ol>
			{refusal && <p role="alert">{refusal.message}</p>}
			{state.reason && <p>{state.reason}</p>}
			<Form method="post">
				<input type="hidden" name="upTo" value={last} />
				{state.kind !== 'closed' && (
					<>
						<input type="hidden" name="clientId" value={clientId} />
						<label>
							Message{' '}
							<textarea className="input" name="body" required defaultValue={refusal?.values.body} key={clientId} />
						</label>
						<button className="btn" name="intent" value="send" type="submit">
							send
						</button>
					</>
				)}
				{state.kind === 'request' && <Act intent="accept">Accept</Act>}
				<Act intent="seen">Mark as read</Act>
				<Act intent={state.blockedByMe ? 'unblock' : 'block'}>{state.blockedByMe ? 'Unblock' : 'Block'}</Act>
				<Act intent={state.muted ? 'unmute' : 'mute'}>{state.muted ? 'Unmute' : 'Mute'}</Act>
			</Form>
		</div>
	)
}

function Act({ intent, children }: { intent: string; children: string }) {
	return (
		<button className="btn" name="intent" value={intent} type="submit" formNoValidate>
			{children}
		</button>
	)
}

function Message({ message: { id, html, deleted, body, editedAt }, own }: { message: ChatMessage; own: boolean }) {
	return (
		<li id={`message-${id}`}>
			{deleted ? <i>Message deleted</i> : <div className="prose" dangerouslySetInnerHTML={{ __html: html }} />}
			{editedAt && ' edited'}
			{own && !deleted && (
				<Form method="post">
					<input type="hidden" name="id" value={id} />
					<textarea className="input" name="body" aria-label="Text of the message" defaultValue={body} />
					<Act intent="edit">Save</Act>
					<Act intent="delete">Delete</Act>
				</Form>
			)}
		</li>
	)
}
