import { Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { Form, Link, useRevalidator } from 'react-router'
import { EmptyState } from '~/ui/empty-state.tsx'
import type { ConversationSummary, FoundMessages as Found } from '../../protocol.ts'
import { ConversationRow } from './conversation-row.tsx'
import { FoundMessages } from './found-messages.tsx'
import { useLiveList } from './use-live-list.ts'

export interface InboxData {
	/** Null where a search is shown in its place. */
	inbox: { conversations: ConversationSummary[]; next: number | null } | null
	requests: ConversationSummary[]
	/** What was searched for, '' for nothing. */
	q: string
	found: Found | null
}

interface InboxProps {
	data: InboxData
	/** Username of the peer whose conversation is shown beside. */
	current?: string
	/** The conversation beside the list. */
	children: ReactNode
}

/** The list of conversations, and one of them beside it; on a phone one or the other. */
export function Inbox({ data, current, children }: InboxProps) {
	const { inbox, requests, q, found } = data
	const Title = current ? 'p' : 'h1'
	return (
		<div className="inbox -mb-16 grid h-[calc(100dvh-3.5rem)] grid-cols-1 max-sm:-mx-4 md:grid-cols-[20rem_minmax(0,1fr)]">
			<section
				className={`flex min-h-0 flex-col border-line md:border-r ${current ? 'max-md:hidden' : ''}`}
				aria-label="Conversations"
			>
				<div className="px-4 pt-5 pb-3 sm:pl-0">
					<Title className="text-2xl font-bold">Messages</Title>
					<Form className="input-box mt-3" role="search" action="/messages">
						<Search className="icon" aria-hidden="true" />
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
					{found && <FoundMessages found={found} q={q} current={current} />}
					{inbox && <Lists inbox={inbox} requests={requests} current={current} />}
				</div>
			</section>
			{children}
		</div>
	)
}

interface ListsProps {
	inbox: NonNullable<InboxData['inbox']>
	requests: ConversationSummary[]
	current: string | undefined
}

function Lists({ inbox, requests, current }: ListsProps) {
	const { revalidate } = useRevalidator()
	const open = useLiveList(inbox.conversations, revalidate)
	const asked = useLiveList(requests, revalidate)
	if (open.list.length + asked.list.length === 0)
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
	const row = (live: typeof open) => (conversation: ConversationSummary) => {
		const { username } = conversation.peer
		return (
			<li key={username} className="border-b border-line">
				<ConversationRow
					conversation={conversation}
					online={live.online(username)}
					typing={live.typing.has(username)}
					current={username === current}
					className="flex items-center gap-3 px-4 py-2.5 hover:bg-hover aria-[current]:bg-ivy-wash aria-[current]:[--ring:var(--color-ivy-wash)]"
				/>
			</li>
		)
	}
	return (
		<>
			{asked.list.length > 0 && (
				<details className="border-b border-line" open={asked.list.some(({ peer }) => peer.username === current)}>
					<summary className="flex h-10 items-center px-4 text-sm font-semibold hover:bg-hover">
						{asked.list.length === 1 ? '1 request' : `${asked.list.length} requests`}
					</summary>
					<ul className="border-t border-line" aria-label="Requests">
						{asked.list.map(row(asked))}
					</ul>
				</details>
			)}
			{open.list.length > 0 && <ul aria-label="Conversations">{open.list.map(row(open))}</ul>}
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
