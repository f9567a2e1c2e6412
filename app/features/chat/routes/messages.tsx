import { Form, Link } from 'react-router'
import { answering, signedIn } from '~/lib/http.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { listConversations, searchOwnMessages } from '../inbox.server.ts'
import type { ConversationSummary } from '../protocol.ts'
import type { Route } from './+types/messages'
import { numberIn } from './who.server.ts'

/** The inbox: conversations, requests, and with `?q=` a search in own messages. */
export function loader({ context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const viewer = signedIn(context, url)
		const q = url.searchParams.get('q') ?? ''
		const [inbox, requests, hits] = await Promise.all([
			listConversations(viewer, { before: numberIn(url.searchParams, 'before') }),
			listConversations(viewer, { requests: true }),
			q.trim() === '' ? null : searchOwnMessages(viewer, q),
		])
		return { inbox, requests: requests.conversations, q, hits }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Messages', noindex: true })
}

export default function Messages({ loaderData: { inbox, requests, q, hits } }: Route.ComponentProps) {
	return (
		<div className="max-w-[44rem] pt-6">
			<h1 className="text-2xl font-bold">Messages</h1>
			<Form role="search">
				<label>
					Search messages <input className="input" type="search" name="q" defaultValue={q} />
				</label>
			</Form>
			{hits && (
				<ul aria-label="Found messages">
					{hits.map(({ id, peer, passage }) => (
						<li key={id}>
							<Link className="link" to={`/messages/${peer.username}`}>
								{peer.name}
							</Link>{' '}
							{passage.map(({ text }) => text).join('')}
						</li>
					))}
				</ul>
			)}
			{requests.length > 0 && <Conversations label="Requests" rows={requests} />}
			{inbox.conversations.length === 0 ? (
				<p>No chat found!</p>
			) : (
				<Conversations label="Conversations" rows={inbox.conversations} />
			)}
			{inbox.next !== null && <Link to={`/messages?before=${inbox.next}`}>Older</Link>}
		</div>
	)
}

function Conversations({ label, rows }: { label: string; rows: ConversationSummary[] }) {
	return (
		<ul aria-label={label}>
			{rows.map(({ peer, last, unread }) => (
				<li key={peer.username}>
					<Link className="link" to={`/messages/${peer.username}`}>
						{peer.name}
					</Link>{' '}
					{last?.deleted ? 'Message deleted' : last?.excerpt} {unread > 0 && `(${unread} unread)`}
				</li>
			))}
		</ul>
	)
}
