import { type RefObject, useEffect, useRef, useState } from 'react'
import { useBlocker, useLocation, useNavigation } from 'react-router'
import { toast } from '~/shell/toast.ts'
import type { EditRefusal, EditStart } from '../editing.ts'

/**
 * What an edit form remembers while it is open. It keeps what it started from while the member types, whatever is loaded
 * anew around it; it starts again after its own save, after Discard, and when the member goes elsewhere or reloads.
 * @param id tells one form from another at the same address
 */
export function useEditForm(id: string, loaded: EditStart, refusal: EditRefusal | null) {
	const form = useRef<HTMLFormElement>(null)
	const [round, setRound] = useState(0)
	const [dismissed, setDismissed] = useState<EditRefusal | null>(null)
	const base = useBase(id, loaded, refusal)
	const shown = refusal === dismissed ? null : refusal
	const key = `${base.key} ${round}`
	const { dirty, look, allow, sending, blocker } = useUnsaved(form, key, shown)
	const { state } = useNavigation()

	useEffect(() => {
		if (state !== 'idle' || !sending.current) return
		sending.current = false
		if (!refusal) setRound((before) => before + 1)
	}, [state, refusal, sending])

	useRefusal(form, refusal)

	const discard = () => {
		setDismissed(refusal)
		setRound(round + 1)
	}
	return { form, key, start: base.start, refusal: shown, dirty, look, allow, sending, blocker, discard }
}

/** Says a refusal as a toast and leads to the first field that it is about. */
export function useRefusal(form: RefObject<HTMLFormElement | null>, refusal: EditRefusal | null): void {
	useEffect(() => {
		if (!refusal) return
		toast({ type: 'error', message: refusal.message })
		form.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus()
	}, [form, refusal])
}

/**
 * The refusal that the form of an item has to show: not that of deleting one, which is said as a toast.
 * @param answer what the last form of the page was answered
 */
export function useItemRefusal(answer: EditRefusal | undefined): EditRefusal | null {
	const deleted = answer?.values.intent === 'delete'
	useEffect(() => {
		if (answer && deleted) toast({ type: 'error', message: answer.message })
	}, [answer, deleted])
	return answer && !deleted ? answer : null
}

/** Where the form started: what was loaded when the member came here, not what a reload in the background brought. */
function useBase(id: string, loaded: EditStart, refusal: EditRefusal | null) {
	const { key: visit } = useLocation()
	const key = `${id} ${loaded.version}`
	const [base, setBase] = useState({ visit, key, start: loaded })
	if (!refusal && base.visit !== visit) setBase({ visit, key, start: loaded })
	return base
}

/** Whether there is something to lose, and the questions before it is lost. */
function useUnsaved(form: RefObject<HTMLFormElement | null>, key: string, refusal: EditRefusal | null) {
	const clean = useRef<string | null>(null)
	const sending = useRef(false)
	const [dirty, setDirty] = useState(false)
	const look = () => setDirty(clean.current !== fingerprint(form.current))

	// biome-ignore lint/correctness/useExhaustiveDependencies: a new key is a new beginning
	useEffect(() => {
		// Drawn with what was refused before the script ran: that was never saved.
		clean.current = refusal ? null : fingerprint(form.current)
		setDirty(refusal !== null)
	}, [key])

	useEffect(() => {
		if (!dirty) return
		const ask = (event: BeforeUnloadEvent) => {
			if (!sending.current) event.preventDefault()
		}
		window.addEventListener('beforeunload', ask)
		return () => window.removeEventListener('beforeunload', ask)
	}, [dirty])

	const blocker = useBlocker(({ currentLocation: from, nextLocation: to }) => {
		const elsewhere = from.pathname !== to.pathname || from.search !== to.search
		return elsewhere && !sending.current && clean.current !== fingerprint(form.current)
	})
	const allow = () => {
		sending.current = true
	}
	return { dirty, look, allow, sending, blocker }
}

/** What the fields say, to be compared. Without a form there is nothing to lose. */
function fingerprint(form: HTMLFormElement | null): string | null {
	if (!form) return null
	const fields = [...new FormData(form)].filter(([name]) => name !== 'version')
	return JSON.stringify(fields.map(([name, value]) => [name, typeof value === 'string' ? value : value.name]))
}
