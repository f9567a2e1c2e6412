import type { ReactNode } from 'react'
import { useFetcher } from 'react-router'
import type { ConversationView } from '../client/conversation.ts'
import { useLine } from '../client/use-chat.ts'

interface StateNoticeProps {
	view: ConversationView
	/** The conversation's page. */
	path: string
	/** Padding. */
	className: string
}

/** What stands between the messages and the composer when the conversation is not simply open. */
export function StateNotice({ view, path, className }: StateNoticeProps) {
	const { state, peer, messages } = view
	const first = peer.name.split(' ')[0]
	if (state.kind === 'open') return null
	if (state.kind === 'request')
		return (
			<Notice
				className={className}
				text={`${peer.name} would like to chat with you. They cannot see whether you have read this.`}
			>
				<Intent path={path} intent="accept" className="btn btn-sm btn-primary" label="Accept" />
				<Intent path={path} intent="block" className="btn btn-sm btn-outline" label="Block" />
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
			{state.blockedByMe && <Intent path={path} intent="unblock" className="btn btn-sm btn-outline" label="Unblock" />}
		</Notice>
	)
}

function Notice({ text, className, children }: { text: string; className: string; children?: ReactNode }) {
	return (
		<div
			className={`flex flex-none flex-wrap items-center gap-x-3 gap-y-2 border-t border-line py-2.5 text-sm text-ink-2 ${className}`}
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

/** One thing that the conversation's page does, as a form. */
export function Intent({ path, intent, className, label }: IntentProps) {
	const fetcher = useFetcher()
	const away = useLine() === 'away'
	const waits = away || fetcher.state !== 'idle'
	return (
		<fetcher.Form method="post" action={path} onSubmit={(event) => waits && event.preventDefault()}>
			{/* Not disabled outright: that would take the focus away from whoever pressed it. */}
			<button type="submit" className={className} name="intent" value={intent} aria-disabled={waits || undefined}>
				{label}
			</button>
		</fetcher.Form>
	)
}
