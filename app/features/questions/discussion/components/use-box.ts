import { useEffect, useRef, useState } from 'react'
import { useNavigation } from 'react-router'
import { newKey } from '~/lib/new-key.ts'
import { useDiscussion } from './discussion-context.ts'
import { readKept, writeKept } from './kept-text.ts'

interface BoxOptions {
	/** Names the box on its page and tells its sending from that of the others. */
	box: string
	/** What it says at first, and the version of the comment that this is; null for a new comment. */
	text: string
	version: number | null
	/** Runs after the text was taken. */
	onSent: () => void
}

/** What a text box of the discussion does besides being a form: it keeps what is typed in this browser until it is sent. */
export function useBox({ box, text, version, onSent }: BoxOptions) {
	const { url, refusal, sendKey } = useDiscussion()
	const navigation = useNavigation()
	const area = useRef<HTMLTextAreaElement>(null)
	const sent = useRef(false)
	// An edit goes on from the text it began with, though the page is loaded anew under it.
	const [start, setStart] = useState({ text, version, key: `${sendKey}.${box}` })
	const name = `draft ${url} ${box}`
	const busy = navigation.formData?.get('box') === box
	const refused = refusal?.values.box === box ? refusal : null
	const stored = refused?.stored ?? null

	useEffect(() => {
		const kept = readKept(name)
		if (!kept || !area.current || area.current.value !== area.current.defaultValue) return
		area.current.value = kept.text
		setStart((before) => ({ ...before, version: kept.version, key: kept.key }))
	}, [name])

	useEffect(() => {
		if (stored) area.current?.form?.querySelector<HTMLElement>('[data-conflict]')?.focus()
	}, [stored])

	useEffect(() => {
		if (busy) sent.current = true
		if (busy || !sent.current || navigation.state !== 'idle') return
		sent.current = false
		if (refused) return
		writeKept(name, null)
		if (area.current) area.current.value = area.current.defaultValue
		setStart((before) => ({ ...before, key: newKey() }))
		onSent()
	}, [busy, navigation.state, refused, name, onSent])

	const key = refused?.values.key ?? start.key
	const madeFrom = stored?.version ?? start.version
	return {
		area,
		refused,
		stored,
		madeFrom,
		sendKey: key,
		text: refused?.values.body ?? start.text,
		keep: () => writeKept(name, { text: area.current?.value ?? '', version: madeFrom, key }),
		forget: () => writeKept(name, null),
	}
}
