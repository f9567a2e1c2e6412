import { Search } from 'lucide'
import { type ReactNode, useMemo } from 'react'
import { useRevalidator, useSearchParams } from 'react-router'
import { shortAge } from '~/features/chat/components/thread/times.ts'
import { withParams } from '~/lib/addresses.ts'
import { pluralize } from '~/lib/text.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { useNow } from '~/ui/time.tsx'
import type { ConversationSummary, FoundMessages as Found, MessageHit } from '../inbox.view.ts'
import { ConversationItem } from './conversation-item.tsx'
import { useLiveList } from './live-list.ts'

interface InboxPage {
	conversations: ConversationSummary[]
	next: number | null
}

interface InboxData {
	/** Null while a search is shown instead. */
	inbox: InboxPage | null
	requests: InboxPage | null
	/** The search; '' for none. */
	q: string
	/** The last id of the results' page before; null on the first one. */
	from: number | null
	found: Found | null
}

interface InboxProps {
	data: InboxData
	/** Username of the peer whose conversation is open. */
	current?: string
	/** The open conversation. */
	children: ReactNode
}

/** The list of conversations, with one of them beside it; a phone shows only one of the two. */
export function Inbox({ data, current, children }: InboxProps) {
	const { inbox, requests, q, from, found } = data
	const Title = current ? 'p' : 'h1'
	return (
		<div className="inbox grid grid-cols-1 max-sm:-mx-4 md:grid-cols-[20rem_minmax(0,1fr)]">
			<section
				className={`flex min-h-0 flex-col border-line md:border-r ${current ? 'max-md:hidden' : ''}`}
				aria-label="Conversations"
			>
				<div className="px-4 pt-5 pb-3 sm:pl-0">
					<Title className="text-2xl font-bold">Messages</Title>
					<Form className="input-box mt-3" role="search" action="/messages">
						<Icon of={Search} />
						<input
							type="search"
							name="q"
							aria-label="Search messages"
							placeholder="Search messages"
							defaultValue={q}
							key={q}
						/>
					</Form>
				</div>
				<div className="relative flex-1 overflow-y-auto border-t border-line sm:-ml-4">
					{found && <SearchResults found={found} q={q} from={from} current={current} />}
					{inbox && requests && <Lists inbox={inbox} requests={requests} current={current} />}
				</div>
			</section>
			{children}
		</div>
	)
}

interface ListsProps {
	inbox: InboxPage
	requests: InboxPage
	current: string | undefined
}

function Lists({ inbox, requests, current }: ListsProps) {
	const { revalidate } = useRevalidator()
	const [params] = useSearchParams()
	// One list for both, as a message in a conversation that is in neither reloads the page.
	const all = useMemo(
		() => [...requests.conversations, ...inbox.conversations],
		[requests.conversations, inbox.conversations],
	)
	const { list, online, typing } = useLiveList(all, revalidate)
	const requesting = new Set(requests.conversations.map(({ peer }) => peer.username))
	const requested = list.filter(({ peer }) => requesting.has(peer.username))
	const open = list.filter(({ peer }) => !requesting.has(peer.username))
	if (list.length === 0) return <NoConversations />
	const row = (conversation: ConversationSummary) => {
		const { username } = conversation.peer
		return (
			<li key={username} className="border-b border-line">
				<ConversationItem
					conversation={conversation}
					online={online(username)}
					typing={typing.has(username)}
					current={username === current}
					className="flex items-center gap-3 px-4 py-2.5 hover:bg-hover aria-[current]:bg-ivy-wash aria-[current]:[--ring:var(--color-ivy-wash)]"
				/>
			</li>
		)
	}
	return (
		<>
			{requested.length > 0 && (
				<Requests
					count={requested.length}
					next={requests.next}
					open={params.has('requestsBefore') || requested.some(({ peer }) => peer.username === current)}
				>
					{requested.map(row)}
				</Requests>
			)}
			{open.length > 0 && <ul aria-label="Conversations">{open.map(row)}</ul>}
			{inbox.next !== null && (
				<p className="px-4 py-3">
					<Link className="btn btn-sm btn-outline" to={`/messages?before=${inbox.next}`} rel="next">
						Older conversations
					</Link>
				</p>
			)}
		</>
	)
}

function NoConversations() {
	return (
		<div className="px-4">
			<EmptyState
				title="No chat found!"
				action={
					<Link className="btn btn-outline" to="/find-dev">
						Find developers
					</Link>
				}
			>
				To start a conversation, press Chat on a card or profile.
			</EmptyState>
		</div>
	)
}

interface RequestsProps {
	count: number
	/** The cursor of older ones; null without any. */
	next: InboxPage['next']
	open: boolean
	/** The items of the list. */
	children: ReactNode
}

function Requests({ count, next, open, children }: RequestsProps) {
	return (
		<details className="border-b border-line" open={open}>
			<summary className="flex h-10 items-center px-4 text-sm font-semibold hover:bg-hover">
				{next === null ? pluralize(count, 'request') : `${count} requests and more`}
			</summary>
			<ul className="border-t border-line" aria-label="Requests">
				{children}
			</ul>
			{next !== null && (
				<p className="px-4 py-3">
					<Link className="btn btn-sm btn-outline" to={`/messages?requestsBefore=${next}`} rel="next">
						Older requests
					</Link>
				</p>
			)}
		</details>
	)
}

interface FoundMessagesProps {
	found: Found
	/** The search. */
	q: string
	from: number | null
	/** Username of the peer whose conversation is open. */
	current: string | undefined
}

/** The viewer's messages that match a search, with links to their places in the conversations. */
function SearchResults({ found: { hits, next, nearly }, q, from, current }: FoundMessagesProps) {
	const now = useNow()
	const zone = useHydrated() ? 'local' : 'site'
	const [params] = useSearchParams()
	// A conversation has another use for `before`.
	const addressOf = (peer: string, id: number) =>
		`${withParams(`/messages/${peer}`, { q, from, message: id })}#message-${id}`
	return (
		<>
			<p className="flex items-center justify-between gap-3 border-b border-line px-4 py-2 text-sm">
				<span className="min-w-0 text-ink-2 wrap-anywhere" role="status">
					{resultOf(hits.length, nearly, q)}
				</span>
				<Link className="link flex-none" to={current ? `/messages/${current}` : '/messages'}>
					Clear
				</Link>
			</p>
			<ul aria-label="Found messages">
				{hits.map(({ id, peer, sender, sentAt, passage }) => (
					<li key={id} className="border-b border-line">
						<Link
							className="flex items-start gap-3 px-4 py-2.5 hover:bg-hover aria-[current]:bg-ivy-wash"
							to={addressOf(peer.username, id)}
							aria-current={peer.username === current && params.get('message') === String(id) ? 'true' : undefined}
							preventScrollReset
						>
							<Avatar user={{ ...peer, image: peer.picture }} size={40} />
							<span className="min-w-0 flex-1">
								<span className="flex items-baseline justify-between gap-2">
									<bdi className="truncate font-semibold">{peer.name}</bdi>
									<span className="meta flex-none">{shortAge(sentAt, now, zone)}</span>
								</span>
								<span className="line-clamp-2 text-sm wrap-anywhere text-ink-2">
									{sender !== peer.username && 'You: '}
									<Passage pieces={passage} />
								</span>
							</span>
						</Link>
					</li>
				))}
			</ul>
			{next !== null && (
				<p className="px-4 py-3">
					<Link className="btn btn-sm btn-outline" to={withParams('/messages', { q, before: next })} rel="next">
						Older messages
					</Link>
				</p>
			)}
		</>
	)
}

function resultOf(count: number, nearly: boolean, q: string): string {
	if (count === 0) return `Nothing found for “${q}”`
	return nearly ? `No messages with “${q}”. Similar ones:` : `Messages with “${q}”`
}

function Passage({ pieces }: { pieces: MessageHit['passage'] }) {
	return pieces.map(({ text, hit }, index) =>
		hit ? (
			// biome-ignore lint/suspicious/noArrayIndexKey: the pieces of one passage never move
			<mark key={index} className="bg-marigold-wash text-ink">
				{text}
			</mark>
		) : (
			text
		),
	)
}
