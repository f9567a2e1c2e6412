import { ArrowLeft, Ellipsis } from 'lucide'
import { useEffect, useRef } from 'react'
import { useSearchParams } from 'react-router'
import type { ChatMessage, ConversationPage, MessageWindow } from '~/features/chat/chat.view.ts'
import type { ConversationView } from '~/features/chat/client/live-conversation.ts'
import { useConversation } from '~/features/chat/client/use-chat.ts'
import { Conversation } from '~/features/chat/components/conversation.tsx'
import { IntentButton } from '~/features/chat/components/conversation-notices.tsx'
import { MessageReportFields } from '~/features/chat/components/report-dialog.tsx'
import { withParams } from '~/lib/addresses.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { ConversationHead } from './conversation-head.tsx'

interface ConversationPaneProps {
	page: ConversationPage
	/** The part that the address selects; null for the end. */
	part: MessageWindow | null
	/** Id of the message that the address selects. */
	target: number | null
	/** Id of the next message, for the form without scripts. */
	clientId: string
	refused: { message: string; values: Record<string, string> } | null
}

/** A conversation on its page: beside the list, or on a phone instead of it. */
export function ConversationPane({ page, part, target, clientId, refused }: ConversationPaneProps) {
	const view = useConversation(page, part)
	const [params, setParams] = useSearchParams()
	const { peer } = view
	const path = `/messages/${peer.username}`
	const named = useNamed(part?.messages ?? page.messages)
	const q = params.get('q')
	// A reader of an older part has not seen the end.
	const newest = part?.newer ? 0 : (page.messages.at(-1)?.id ?? 0)
	return (
		<section
			className="conversation-pane flex min-h-0 flex-col [@media(height<24rem)]:overflow-y-auto max-md:fixed max-md:inset-0 max-md:z-(--z-panel) max-md:bg-paper"
			aria-label={peer.name}
		>
			<h1 className="sr-only">Messages with {peer.name}</h1>
			<ConversationHead
				peer={peer}
				size="page"
				before={
					<Link
						className="icon-btn -ml-2 size-11 md:hidden"
						to={withParams('/messages', { q, before: q && params.get('from') })}
						aria-label={q ? 'Back to the search' : 'Back to conversations'}
					>
						<Icon of={ArrowLeft} className="icon-lg" />
					</Link>
				}
			>
				<Link className="btn btn-outline btn-sm max-sm:hidden" to={`/find-dev/${peer.username}`}>
					View profile
				</Link>
				<ConversationMenu view={view} path={path} />
			</ConversationHead>
			<PartLinks view={view} path={path} />
			<Conversation
				key={peer.username}
				view={view}
				className="px-4 py-5 md:pr-0 md:pl-6"
				notice="px-4 md:pr-0 md:pl-6"
				composer="md:pr-0 md:pl-6"
				target={target}
				onLeave={() => {
					if (target === null) return
					params.delete('message')
					setParams(params, { preventScrollReset: true })
				}}
				editing={named.edit}
				reporting={named.report}
				fields={{ clientId, upTo: newest }}
				refused={refused}
			/>
			<PlainForms path={path} reported={named.report} unseen={newest > page.readId ? newest : null} />
		</section>
	)
}

/** Without scripts: links to other parts of the conversation. */
function PartLinks({ view: { messages, older, newer }, path }: { view: ConversationView; path: string }) {
	const first = messages[0]
	const last = messages.at(-1)
	return (
		<>
			{older && first && (
				<p className="hidden p-2 text-center noscript:block">
					<Link className="btn btn-sm btn-outline" to={`?before=${first.id}`}>
						Older messages
					</Link>
				</p>
			)}
			{newer && last && (
				<p className="hidden justify-center gap-2 p-2 noscript:flex">
					<Link className="btn btn-sm btn-outline" to={`?after=${last.id}`}>
						Newer messages
					</Link>
					<Link className="btn btn-sm btn-outline" to={path}>
						Jump to newest
					</Link>
				</p>
			)}
		</>
	)
}

interface PlainFormsProps {
	path: string
	/** The message that the address names for reporting. */
	reported: ChatMessage | null
	/** Id of the newest message, if the reader has not seen it; else null. */
	unseen: number | null
}

/** Without scripts: reporting a message, and marking the conversation as read. */
function PlainForms({ path, reported, unseen }: PlainFormsProps) {
	return (
		<>
			{reported && (
				<Form method="post" action={path} className="hidden border-t border-line p-4 noscript:block">
					<MessageReportFields id={reported.id} error={null} />
					<button type="submit" className="btn btn-danger mt-3" name="intent" value="report">
						Report
					</button>
				</Form>
			)}
			{unseen !== null && (
				<Form method="post" action={path} className="hidden px-4 pb-2 noscript:block">
					<input type="hidden" name="upTo" value={unseen} />
					<button type="submit" className="link text-sm" name="intent" value="seen">
						Mark as read
					</button>
				</Form>
			)}
		</>
	)
}

/** The messages that the address selects for editing or reporting, without scripts. */
function useNamed(messages: readonly ChatMessage[]) {
	const [params] = useSearchParams()
	const named = (key: string) => messages.find(({ id, deleted }) => !deleted && String(id) === params.get(key)) ?? null
	return { edit: named('edit'), report: named('report') }
}

/** Rarely used actions. A native disclosure, which opens without scripts. */
function ConversationMenu({ view, path }: { view: ConversationView; path: string }) {
	const { state, peer, messages } = view
	const menu = useRef<HTMLDetailsElement>(null)

	useEffect(() => {
		const close = (event: Event) => {
			if (!(event.target instanceof Node && menu.current?.contains(event.target))) menu.current?.removeAttribute('open')
		}
		document.addEventListener('pointerdown', close)
		document.addEventListener('focusin', close)
		return () => {
			document.removeEventListener('pointerdown', close)
			document.removeEventListener('focusin', close)
		}
	}, [])

	return (
		<details
			className="relative"
			ref={menu}
			onKeyDown={(event) => {
				if (event.key !== 'Escape' || !menu.current?.open) return
				event.stopPropagation()
				menu.current.open = false
				menu.current.querySelector('summary')?.focus()
			}}
		>
			<summary className="icon-btn icon-btn-sm max-sm:size-11 list-none" aria-label={`More about ${peer.name}`}>
				<Icon of={Ellipsis} />
			</summary>
			<div className="popup menu absolute top-full right-0 z-(--z-popover) mt-1 w-52">
				<Link className="menu-item" to={`/find-dev/${peer.username}`}>
					View profile
				</Link>
				{messages.length > 0 && (
					<IntentButton
						path={path}
						intent={state.muted ? 'unmute' : 'mute'}
						className="menu-item"
						label={state.muted ? 'Unmute' : 'Mute'}
					/>
				)}
				<IntentButton
					path={path}
					intent={state.blockedByMe ? 'unblock' : 'block'}
					className="menu-item"
					label={state.blockedByMe ? 'Unblock' : 'Block'}
				/>
				{state.reachable && (
					<Link className="menu-item" to={`/report/profile/${peer.username}`} rel="nofollow">
						Report the profile
					</Link>
				)}
			</div>
		</details>
	)
}
