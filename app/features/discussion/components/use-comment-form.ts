import { useCallback, useEffect, useRef, useState } from 'react'
import { useNavigation } from 'react-router'
import { keepTyped } from '~/lib/keep-typed.ts'
import { newKey } from '~/lib/new-key.ts'
import { typedSince } from '~/lib/text.ts'
import { type FormValues, submitForm } from '~/platform/http/form.ts'
import { parseStored, useRefusal, writeStored } from '~/ui/form-kit.ts'
import { adoptUnsentText, readUnsentText, type UnsentText } from '~/ui/unsent-text.ts'
import { useDiscussion } from './discussion-context.ts'

interface CommentFormOptions {
	/** Names the form on its page, to tell which one was submitted. */
	box: string
	/** The initial text, and the version of the comment that is edited; null for a new comment. */
	text: string
	version: number | null
	/** Called after the text was accepted. */
	onSent: () => void
}

/** The state of a comment form. Unsent text is stored in this browser. */
export function useCommentForm({ box, text, version, onSent }: CommentFormOptions) {
	const { questionId, refusal, sendKey, viewer } = useDiscussion()
	const me = viewer?.username ?? ''
	const navigation = useNavigation()
	const area = useRef<HTMLTextAreaElement>(null)
	/** What is being sent; null for nothing. */
	const sent = useRef<{ text: string; key: string } | null>(null)
	// An edit continues from the text that it started with, even if the page is reloaded.
	const [start, setStart] = useState({ text, version, key: `${sendKey}.${box}` })
	const name = `draft /forum/${questionId} ${box}`
	const busy = navigation.formData?.get('box') === box
	const refused = refusal?.values.box === box ? refusal : null
	const stored = refused?.stored ?? null

	useEffect(() => {
		adoptUnsentText(name, new RegExp(`^draft /forum/[^/ ]+/[^/ ]+/${questionId} ${box}$`), me)
		const unsent = readUnsentText(name)
		if (!unsent || !area.current || area.current.value !== area.current.defaultValue) return
		area.current.value = unsent.text
		setStart((before) => ({ ...before, version: unsent.version, key: unsent.key }))
	}, [name, questionId, box, me])

	useRefusal(area, refused, true)

	useEffect(() => {
		const { formData, state } = navigation
		if (busy) sent.current = { text: String(formData?.get('body') ?? ''), key: String(formData?.get('key') ?? '') }
		if (busy || !sent.current || state !== 'idle') return
		const { text: sentText, key: sentKey } = sent.current
		sent.current = null
		// It was refused, or a link or another form has ended the request: then the text stays, and can be sent again with the same key.
		if (!accepted.delete(sentKey)) return
		const rest = typedSince(sentText, area.current?.value ?? '', version !== null)
		const key = newKey()
		// Unless another tab has stored a text of its own.
		const isOwn = !rest && readUnsentText(name)?.key === sentKey
		if (rest || isOwn) writeStored(name, rest ? ({ text: rest, version, key } satisfies UnsentText) : null, me)
		if (area.current) area.current.value = rest || area.current.defaultValue
		setStart((before) => ({ ...before, version, key }))
		if (!rest) onSent()
	}, [busy, navigation, name, version, onSent, me])

	const key = refused?.values.key ?? start.key
	const madeFrom = stored?.version ?? start.version
	const store = (text: string) =>
		writeStored(name, text ? ({ text, version: madeFrom, key } satisfies UnsentText) : null, me)
	const storeLatest = useRef(store)
	storeLatest.current = store

	useEffect(() => {
		if (!area.current || me === '') return
		const textIn = (stored: string) => (parseStored(stored) as UnsentText | undefined)?.text
		return keepTyped(area.current, { name, member: me, store: (text) => storeLatest.current(text), textIn })
	}, [name, me])

	return {
		area,
		refused,
		stored,
		madeFrom,
		sendKey: key,
		text: refused?.values.body ?? start.text,
		save: () => store(area.current?.value ?? ''),
		forget: () => {
			if (area.current) area.current.value = area.current.defaultValue
			writeStored(name, null, me)
		},
	}
}

/**
 * For a `clientAction`: after a lost response, the text stays in its form with its idempotency key. Sent again, it creates one
 * comment, whether or not the first request arrived. The text also stays, to be copied, when what it answers is gone.
 */
export async function sendCommentForm<Answer>({
	request,
	serverAction,
}: {
	request: Request
	serverAction: () => Promise<Answer>
}) {
	if (!(await request.clone().formData()).has('body')) return serverAction()
	const send = async ({ key = '' }: FormValues) => {
		try {
			return await serverAction()
		} catch (error) {
			const to = error instanceof Response ? error.headers.get('Location') : null
			if (to?.startsWith('/login') === false) accepted.add(key)
			throw error
		}
	}
	return submitForm({ request, serverAction: send }, { failure: 'Something went wrong. Try again!', staysOnPage: true })
}

/** The idempotency keys of texts that the server has accepted, until their forms know it. */
const accepted = new Set<string>()

export interface OpenForms {
	reply: boolean
	edit: boolean
	/** Whether the reader opened one, so that it gets the focus. */
	focused: boolean
	openReply: () => void
	openEdit: () => void
	closeReply: () => void
	closeEdit: () => void
}

/** Which forms of a comment are open: those that the address or an error asks for, then what the reader opens. */
export function useOpenForms(id: number): OpenForms {
	const { asked, refusal } = useDiscussion()
	const refused = refusal?.values.box
	const [reply, setReply] = useState<boolean | null>(null)
	const [edit, setEdit] = useState<boolean | null>(null)
	return {
		reply: reply ?? (asked.reply === id || refused === `reply-${id}`),
		edit: edit ?? (asked.edit === id || refused === `edit-comment-${id}`),
		focused: reply === true || edit === true,
		openReply: useCallback(() => setReply(true), []),
		openEdit: useCallback(() => setEdit(true), []),
		closeReply: useCallback(() => setReply(false), []),
		closeEdit: useCallback(() => setEdit(false), []),
	}
}
