import { type ReactNode, useEffect, useRef, useState } from 'react'
import { useFetcher } from 'react-router'
import { toast } from '~/shell/toast.ts'
import { textOfMessage } from '../chat.view.ts'
import type { ConversationView } from '../client/live-conversation.ts'
import { useConnectionState } from '../client/use-chat.ts'

interface StateNoticeProps {
	view: ConversationView
	/** The conversation's page. */
	path: string
	className: string
}

/** Explains a conversation that is not simply open, between messages and composer. */
export function StateNotice({ view, path, className }: StateNoticeProps) {
	const { state, peer, messages } = view
	const first = peer.name.split(' ')[0]
	if (state.kind === 'open') return null
	if (state.kind === 'request')
		return (
			<Notice
				className={className}
				text={
					<>
						<bdi>{peer.name}</bdi> would like to chat with you. They cannot see whether you have read this.
					</>
				}
			>
				<IntentButton path={path} intent="accept" className="btn btn-sm btn-primary" label="Accept" />
				<IntentButton path={path} intent="block" className="btn btn-sm btn-outline" label="Block" />
			</Notice>
		)
	if (state.kind === 'waiting') {
		if (messages.length === 0) return null
		return (
			<Notice
				className={className}
				text={`${first} will get this as a request. Once they answer, you can write as much as you like.`}
			/>
		)
	}
	return (
		<Notice className={className} text={state.reason ?? `You cannot write to ${first}.`}>
			{state.blockedByMe && (
				<IntentButton path={path} intent="unblock" className="btn btn-sm btn-outline" label="Unblock" />
			)}
		</Notice>
	)
}

function Notice({ text, className, children }: { text: ReactNode; className: string; children?: ReactNode }) {
	return (
		<div
			className={`flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line py-2.5 text-sm text-ink-2 ${className}`}
		>
			<p className="min-w-48 flex-1">{text}</p>
			{children}
		</div>
	)
}

interface IntentProps {
	path: string
	intent: string
	className: string
	label: string
}

/** A form with one button that changes the conversation. */
export function IntentButton({ path, intent, className, label }: IntentProps) {
	const fetcher = useFetcher<{ ok?: boolean; message?: unknown; said?: boolean }>()
	const { data } = fetcher
	useEffect(() => {
		if (data?.ok === false && !data.said) toast({ type: 'error', message: String(data.message) })
	}, [data])
	const away = useConnectionState() === 'away'
	const waits = away || fetcher.state !== 'idle'
	return (
		<fetcher.Form method="post" action={path} onSubmit={(event) => waits && event.preventDefault()}>
			{/* Not `disabled`, as that would take the focus away from the pressed button. */}
			<button type="submit" className={className} name="intent" value={intent} aria-disabled={waits || undefined}>
				{label}
			</button>
		</fetcher.Form>
	)
}

/** Messages that may wait for a screen reader that is still speaking. */
const MAX_ANNOUNCED = 5

/** Announces each new message of the peer once to screen readers. */
export function Announcer({ view }: { view: ConversationView }) {
	const { peer, latest: messages } = view
	const newest = messages.at(-1)?.id ?? 0
	const announced = useRef(newest)
	const [lines, setLines] = useState<{ id: number; text: string }[]>([])
	useEffect(() => {
		const fresh = messages.filter(
			({ id, sender, deleted }) => id > announced.current && sender === peer.username && !deleted,
		)
		announced.current = Math.max(announced.current, newest)
		if (fresh.length === 0) return
		const added = fresh.map((message) => ({ id: message.id, text: `${peer.name}: ${textOfMessage(message)}` }))
		setLines((before) => [...before, ...added].slice(-MAX_ANNOUNCED))
	}, [messages, newest, peer])
	return (
		<div className="sr-only" role="log" aria-live="polite" aria-label="New messages">
			{lines.map(({ id, text }) => (
				<p key={id}>{text}</p>
			))}
		</div>
	)
}
