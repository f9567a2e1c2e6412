import { useEffect, useRef, useState } from 'react'
import { flushSync } from 'react-dom'
import { useFetcher } from 'react-router'
import { ChatConnectionBar } from '~/features/conversations/components/away-bar.tsx'
import { EmptyConversation, Stranger } from '~/features/conversations/components/stranger.tsx'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { toast } from '~/shell/toast.ts'
import { Dialog } from '~/ui/dialog.tsx'
import { useFocusAfterRemoval } from '~/ui/use-focus-kept.ts'
import { WritingNotice } from '~/ui/writing-notice.tsx'
import type { ChatMessage } from '../chat.view.ts'
import type { ConversationView } from '../client/live-conversation.ts'
import { useChatClient, useConnectionState, useOutgoing } from '../client/use-chat.ts'
import { Composer } from './composer.tsx'
import { Announcer, StateNotice } from './conversation-notices.tsx'
import { ReportDialog } from './report-dialog.tsx'
import { Thread } from './thread/thread.tsx'

interface ConversationProps {
	view: ConversationView
	className: string
	/** The message that the address names for editing or reporting. */
	editing?: ChatMessage | null
	reporting?: ChatMessage | null
	/** Hidden fields of the form without scripts. */
	fields?: Record<string, string | number>
	/** Padding of the notices, and of the composer. */
	notice: string
	composer?: string
	refused?: { message: string; values: Record<string, string> } | null
	/** Id of the message that the address names, and a callback for when the reader goes to the end. */
	target?: number | null
	onLeave?: () => void
	/** Whether to focus the composer. */
	focus?: boolean
}

/** The messages of a conversation and the composer, for the panel and the page. */
export function Conversation(props: ConversationProps) {
	const { view, className, editing: named = null, refused = null, target = null, onLeave, focus = false } = props
	const { peer, messages, latest, state } = view
	const outgoing = useOutgoing()
	const path = `/messages/${peer.username}`
	const textarea = useRef<HTMLTextAreaElement>(null)
	const notice = useRef<HTMLDivElement>(null)
	useFocusAfterRemoval(
		() => notice.current?.parentElement,
		() => textarea.current ?? notice.current,
	)
	const { editing, edit, reopen, endEdit } = useEditing(named)
	const [deleting, setDeleting] = useState<ChatMessage | null>(null)
	const [reporting, setReporting] = useState<ChatMessage | null>(props.reporting ?? null)
	const hydrated = useHydrated()
	const change = useChange(path, peer.username, ({ intent, id, body }) => {
		const message = [...messages, ...latest].find((each) => String(each.id) === id)
		if (intent === 'edit' && message && body !== undefined) reopen({ ...message, body })
	})
	const isEmpty = messages.length === 0 && !outgoing.some(({ to }) => to === peer.username)

	useEffect(() => {
		if (focus) textarea.current?.focus()
	}, [focus])

	const editLast = () => {
		const last = latest.findLast(({ sender, deleted }) => sender !== peer.username && !deleted)
		if (last) edit(last)
	}

	return (
		<>
			{state.kind === 'request' && view.stranger && (
				<Stranger peer={peer} stranger={view.stranger} common={view.common} className={props.notice} />
			)}
			{isEmpty ? (
				<EmptyConversation peer={peer} common={view.common} mayWrite={state.kind !== 'closed'} />
			) : (
				<Thread
					view={view}
					className={className}
					target={target}
					onLeave={onLeave}
					actions={{ path, onEdit: edit, onDelete: setDeleting, onReport: setReporting }}
				/>
			)}
			<Announcer view={view} />
			<ChatConnectionBar line={useConnectionState()} className={props.notice} />
			<div className="flex-none" ref={notice} tabIndex={-1}>
				<StateNotice view={view} path={path} className={props.notice} />
			</div>
			{(state.kind !== 'closed' || editing) && (
				<>
					<WritingNotice framed={false} className={`flex-none border-t border-line ${props.notice}`} />
					<Composer
						peer={peer.username}
						path={path}
						textarea={textarea}
						editing={editing}
						onEditLast={editLast}
						onSave={(message, body) => {
							endEdit()
							change({ intent: 'edit', id: String(message.id), body })
						}}
						onLeaveEdit={() => {
							endEdit()
							textarea.current?.focus()
						}}
						refused={refused}
						fields={props.fields}
						className={props.composer}
					/>
				</>
			)}
			<DeleteDialog
				message={deleting}
				onClose={() => setDeleting(null)}
				onDelete={({ id }) => {
					change({ intent: 'delete', id: String(id) })
					// The dialog returns the focus to a button that goes with the message's text.
					flushSync(() => setDeleting(null))
					document.getElementById(`message-${id}`)?.focus()
				}}
			/>
			{reporting && hydrated && (
				<ReportDialog message={reporting} path={path} name={peer.name} onClose={() => setReporting(null)} />
			)}
		</>
	)
}

/** The message that is edited: the chosen one, else a rejected edit with its typed text. @param named chosen by the address */
function useEditing(named: ChatMessage | null) {
	const [chosen, edit] = useState(named)
	const [rejected, setRejected] = useState<ChatMessage[]>([])
	return {
		editing: chosen ?? rejected[0] ?? null,
		edit,
		/** Opens a rejected edit again. */
		reopen: (message: ChatMessage) => setRejected((edits) => [...edits, message]),
		endEdit: () => {
			if (chosen) edit(null)
			else setRejected((edits) => edits.slice(1))
		},
	}
}

interface DeleteDialogProps {
	message: ChatMessage | null
	onClose: () => void
	onDelete: (message: ChatMessage) => void
}

function DeleteDialog({ message, onClose, onDelete }: DeleteDialogProps) {
	return (
		<Dialog open={message !== null} onClose={onClose} title="Delete this message?">
			<p className="text-ink-2">
				It is deleted for both of you. Both of you will still see that a message was deleted.
			</p>
			<p className="mt-5 flex justify-end gap-2">
				<button type="button" className="btn btn-outline" onClick={onClose}>
					Keep it
				</button>
				<button type="button" className="btn btn-danger" onClick={() => message && onDelete(message)}>
					Delete
				</button>
			</p>
		</Dialog>
	)
}

/**
 * Changes a conversation through its page's action, one change after the other, as a fetcher aborts what it has not finished when it
 * is given more. The result arrives by a live event, or is requested where there are none; an error becomes a toast.
 * @param path the conversation's page
 * @param peer username
 * @param onRefused gets what was sent, so that nothing typed is lost
 */
function useChange(path: string, peer: string, onRefused: (values: Record<string, string>) => void) {
	const client = useChatClient()
	const fetcher = useFetcher<{ ok?: boolean; message?: unknown; said?: boolean; values?: Record<string, string> }>()
	const { data } = fetcher
	const queue = useRef(Promise.resolve())
	const takeBack = useRef(onRefused)
	takeBack.current = onRefused
	useEffect(() => {
		if (!data) return
		if (data.ok === false || typeof data.message === 'string') {
			if (!data.said) toast({ type: 'error', message: String(data.message) })
			takeBack.current(data.values ?? {})
		} else client?.refresh(peer)
	}, [data, client, peer])
	return (change: Record<string, string>) => {
		if (client?.connection !== 'away') {
			const submit = () => fetcher.submit(change, { method: 'post', action: path })
			queue.current = queue.current.then(submit, submit)
			return
		}
		toast({ type: 'error', message: 'You are offline. Try again when you are back.' })
		onRefused(change)
	}
}
