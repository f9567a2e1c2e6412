import { SendHorizontal, X } from 'lucide'
import { type FormEvent, type KeyboardEvent, type RefObject, useEffect, useId, useState } from 'react'
import {
	AttachButton,
	AttachedList,
	NoScriptPictureField,
	useAttachments,
	usePictureIntake,
} from '~/features/chat-pictures/components/attached-pictures.tsx'
import {
	forgetDraft,
	keepDraft,
	moveDraft,
	readDraft,
	storeDraft,
} from '~/features/conversations/client/chat-drafts.ts'
import { useRootData } from '~/lib/root-data.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { useLiveEvent } from '~/platform/realtime/use-live-event.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { useFocusAfterRemoval } from '~/ui/use-focus-kept.ts'
import { type ChatMessage, chatLimits, trimmedMessage } from '../chat.view.ts'
import { useChatClient } from '../client/use-chat.ts'

interface ComposerProps {
	/** Username. */
	peer: string
	/** The conversation's page, where the form is sent without scripts. */
	path: string
	textarea: RefObject<HTMLTextAreaElement | null>
	/** The viewer's message that is being edited. */
	editing: ChatMessage | null
	onEditLast: () => void
	onSave: (message: ChatMessage, body: string) => void
	onLeaveEdit: () => void
	/** The error and the sent values, without scripts. */
	refused: { message: string; values: Record<string, string> } | null
	/** Hidden fields of the form, without scripts. */
	fields: Record<string, string | number> | undefined
	className: string | undefined
}

/** The message field: Enter sends, Shift+Enter inserts a line break. Unsent text is stored as a draft. */
export function Composer(props: ComposerProps) {
	const { peer, path, textarea, editing, onLeaveEdit, refused } = props
	const client = useChatClient()
	const field = useId()
	const attached = useAttachments(client, peer)
	const intake = usePictureIntake(client, peer)
	useFocusAfterRemoval(
		() => textarea.current?.form,
		() => textarea.current,
	)
	const { refusal, send, press, typed } = useMessageField(props)
	const error = refusal ?? attached.refusal

	return (
		<Form
			method="post"
			action={path}
			encType="multipart/form-data"
			className={`flex-none border-t border-line p-2 ${props.className ?? ''}`}
			data-keeps-draft={editing ? undefined : ''}
			onSubmit={send}
			{...(!editing && { onDragOver: intake.onDragOver, onDrop: intake.onDrop })}
		>
			{editing && <EditingBar path={path} onLeave={onLeaveEdit} />}
			{error && (
				<p className="error pb-1.5 pl-1" id={`${field}-error`} role="alert">
					{error}
				</p>
			)}
			{editing && <input type="hidden" name="id" value={editing.id} />}
			{Object.entries(props.fields ?? {}).map(([name, value]) => (
				<input key={name} type="hidden" name={name} value={value} />
			))}
			{!editing && <AttachedList client={client} peer={peer} pictures={attached.pictures} />}
			<div className="flex items-end gap-1.5">
				<label className="sr-only" htmlFor={field}>
					Message
				</label>
				<textarea
					enterKeyHint={editing ? 'done' : 'send'}
					className="input chat-box"
					id={field}
					ref={textarea}
					name="body"
					rows={1}
					placeholder="type message here..."
					defaultValue={refused?.values.body ?? editing?.body}
					aria-invalid={refusal ? true : undefined}
					aria-describedby={error ? `${field}-error` : undefined}
					onKeyDown={press}
					onInput={typed}
					onPaste={editing ? undefined : intake.onPaste}
				/>
				{!editing && <AttachButton onFiles={intake.choose} />}
				<button
					className="btn btn-primary h-9 flex-none px-3 max-sm:w-9 max-sm:p-0"
					type="submit"
					name="intent"
					value={editing ? 'edit' : 'send'}
				>
					<Icon of={SendHorizontal} className="sm:hidden" />
					<span className="max-sm:sr-only">{editing ? 'Save' : 'Send'}</span>
				</button>
			</div>
			{!editing && <NoScriptPictureField values={refused?.values ?? {}} />}
		</Form>
	)
}

/** What happens to the text of the field: it is sent or saved as an edit, and otherwise stored as a draft. */
function useMessageField({ peer, textarea, editing, onEditLast, onSave, onLeaveEdit, refused }: ComposerProps) {
	const client = useChatClient()
	const me = useRootData().viewer?.username ?? ''
	const [refusal, setRefusal] = useState<string | null>(refused?.message ?? null)

	useEffect(() => {
		const area = textarea.current
		if (!area) return
		if (editing) {
			setRefusal(null)
			area.value = editing.body
			area.focus()
		} else if (area.value === '' || area.dataset.filled) area.value = readDraft(me, peer)
		area.dataset.filled = editing ? 'edit' : ''
		return editing ? undefined : keepDraft(area, me, peer)
	}, [editing, me, peer, textarea])

	useLiveEvent('member:renamed', ({ from, to }) => {
		if (to !== peer) return
		moveDraft(me, from, to)
		const [area, draft] = [textarea.current, readDraft(me, peer)]
		// Where storage is full, the draft may lack what is typed here.
		if (area && !editing && draft.includes(area.value)) area.value = draft
	})

	const send = async (event: FormEvent) => {
		const area = textarea.current
		if (!client || !area) return
		event.preventDefault()
		if (!editing) {
			await client.attachments.settled(peer)
			// An edit that began in the meantime has put its own text into the field. This one is stored as the draft.
			if (area.dataset.filled === 'edit') return
		}
		const said = trimmedMessage(area.value)
		if (said.length > chatLimits.messageMax) {
			setRefusal(tooLong(said.length))
			return
		}
		setRefusal(null)
		if (editing) {
			if (said !== '' || editing.pictures.length > 0) onSave(editing, area.value)
		} else if (client.write(peer, area.value)) {
			forgetDraft(me, peer, area.value)
			area.value = ''
		}
		area.focus()
	}

	const press = (event: KeyboardEvent<HTMLTextAreaElement>) => {
		// Enter that ends a composition belongs to the input method; Safari reports it afterwards, as 229.
		if (event.nativeEvent.isComposing || event.keyCode === 229) return
		if (event.key === 'Enter' && !event.shiftKey) {
			event.preventDefault()
			event.currentTarget.form?.requestSubmit()
		} else if (event.key === 'ArrowUp' && event.currentTarget.value === '') {
			event.preventDefault()
			onEditLast()
		} else if (event.key === 'Escape' && editing) {
			event.preventDefault()
			event.stopPropagation()
			onLeaveEdit()
		}
	}

	const typed = () => {
		const text = textarea.current?.value ?? ''
		if (editing) return
		storeDraft(me, peer, text)
		if (text.trim() !== '') client?.types(peer)
	}
	return { refusal, send, press, typed }
}

/** Shows that a message is being edited, with a way to cancel. */
function EditingBar({ path, onLeave }: { path: string; onLeave: () => void }) {
	const hydrated = useHydrated()
	return (
		<p className="flex items-center justify-between gap-2 pb-1.5 pl-1 text-xs text-ink-2">
			Editing your message
			<Link
				className="icon-btn icon-btn-sm"
				to={path}
				aria-label="Cancel editing"
				onClick={(event) => {
					if (!hydrated) return
					event.preventDefault()
					onLeave()
				}}
			>
				<Icon of={X} className="icon-sm" />
			</Link>
		</p>
	)
}

function tooLong(length: number): string {
	const [most, has] = [chatLimits.messageMax, length].map((count) => count.toLocaleString('en'))
	return `A message may have at most ${most} characters; this one has ${has}.`
}
