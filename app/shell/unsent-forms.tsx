import { useEffect, useRef } from 'react'
import { useFetchers, useLocation, useNavigation } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import { type FormField, RESTORE_EVENT } from '~/lib/unsent-form.ts'
import { earlySubmit } from './guarded.ts'
import { toast } from './toast.ts'

/** The content of a submitted form. */
interface SubmittedForm {
	fields: FormField[]
	/** The names of its visible fields, sorted; they distinguish the forms of a page. */
	names: string[]
	/** The button that submitted it, as `name=value`; '' without a name. */
	button: string
	/** Whether a password or another secret was typed, which is not among the fields. */
	hadSecret: boolean
}

/** A form whose session had ended. */
interface UnsentForm extends SubmittedForm {
	/** The path of the page with the form. */
	page: string
	/** Whether it was restored already: a reload restores it again, and leaving the page deletes it. */
	isBack: boolean
}

/** Hidden fields that identify what a form is about. */
const IDENTIFYING_FIELDS = ['intent', 'item', 'id', 'comment', 'place']
/** Longer forms are not stored, as the browser's storage is small. In characters. */
const MAX_FORM_LENGTH = 500_000
/** Milliseconds for a page to render its form after the login. */
const FORM_WAIT_MS = 10_000

/** Pages that a rejected form is redirected to; they lead back to it. */
const DETOURS = ['/login', '/confirm-identity']

const message = 'What you typed is back: check it and send it again.'
const messageWithoutSecret = 'What you typed is back, except passwords and secrets: enter them again, then send it.'

/**
 * Restores what was typed into a form whose session had ended, or needed a confirmed identity. The server redirects such a form to
 * the login page, or to the one that confirms the identity. Its content is stored in this tab for its member alone, and put into
 * the same form when they return to its page. It is deleted when the form is sent, and when its page is left. Passwords and files
 * are never stored. Forms with drafts of their own are marked with `data-keeps-draft`.
 * @param props.member username of the logged-in member, or of the one whose session ended
 */
export default function UnsentForms({ member }: { member: string }) {
	const { viewer } = useRootData()
	const location = useLocation()
	const isBusy = useNavigation().state !== 'idle'
	const isFetching = useFetchers().some(({ state }) => state !== 'idle')
	const submitted = useRef<SubmittedForm | null>(null)
	const isMember = viewer?.username === member

	useEffect(() => {
		if (!isMember) return
		const note = (event: SubmitEvent) => {
			submitted.current = read(event)
			earlySubmit.current = null
		}
		document.addEventListener('submit', note, { capture: true })
		return () => document.removeEventListener('submit', note, { capture: true })
	}, [isMember])

	useEffect(() => {
		if (isBusy || isFetching) return
		const { pathname, search } = location
		const sent = submitted.current ?? (isDetour(pathname) && earlySubmit.current ? read(earlySubmit.current) : null)
		submitted.current = null
		earlySubmit.current = null
		if (isDetour(pathname)) {
			const to = new URLSearchParams(search).get('redirectTo')
			if (to && sent) write(member, { ...sent, page: new URL(to, window.location.origin).pathname, isBack: false })
			return
		}
		const unsent = find(member)
		if (unsent?.page === pathname ? sent : unsent?.isBack) write(member, null)
	}, [isBusy, isFetching, location, member])

	useEffect(() => {
		const unsent = isMember ? find(member) : null
		if (unsent?.page !== location.pathname) return
		if (unsent.isBack && !isReload()) return write(member, null)
		return restore(unsent, () => write(member, { ...unsent, isBack: true }))
	}, [isMember, member, location.pathname])

	return null
}

const isDetour = (pathname: string) => DETOURS.includes(pathname)

/** The content of a form; null when there is nothing to restore. */
function read({ target: form, submitter }: SubmitEvent): SubmittedForm | null {
	if (!(form instanceof HTMLFormElement) || form.method !== 'post' || 'keepsDraft' in form.dataset) return null
	const names = namesOf(form)
	if (names.length === 0) return null
	const fields = [...new FormData(form)].filter(
		(field): field is FormField => typeof field[1] === 'string' && !isSecret(form, field[0]),
	)
	const hadSecret = [...form.elements].some(
		(field) => field instanceof HTMLInputElement && field.value !== '' && isSecret(form, field.name),
	)
	return { fields, names, button: buttonOf(submitter), hadSecret }
}

function buttonOf(button: Element | null): string {
	return button instanceof HTMLButtonElement && button.name ? `${button.name}=${button.value}` : ''
}

/** A password that is shown is a text field, recognizable only by its name. */
function isSecret(form: HTMLFormElement, name: string): boolean {
	const field = form.elements.namedItem(name)
	return /password/i.test(name) || (field instanceof HTMLInputElement && field.type === 'password')
}

type Control = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

function controlsOf(form: HTMLFormElement): Control[] {
	return [...form.elements].filter(
		(field): field is Control =>
			(field instanceof HTMLInputElement && !['hidden', 'file', 'submit'].includes(field.type)) ||
			field instanceof HTMLTextAreaElement ||
			field instanceof HTMLSelectElement,
	)
}

function namesOf(form: HTMLFormElement): string[] {
	const names = controlsOf(form).flatMap(({ name }) => (name && !isSecret(form, name) ? [name] : []))
	return [...new Set(names)].sort()
}

/** Restores an unsent form once it is rendered. @returns stops waiting */
function restore(unsent: UnsentForm, onBack: () => void): () => void {
	const look = () => {
		const form = [...document.forms].find((candidate) => isSameForm(candidate, unsent))
		if (!form) return false
		stop()
		fill(form, unsent.fields)
		onBack()
		toast({ type: 'plain', message: unsent.hadSecret ? messageWithoutSecret : message })
		return true
	}
	const observer = new MutationObserver(look)
	const timer = setTimeout(() => observer.disconnect(), FORM_WAIT_MS)
	const stop = () => {
		clearTimeout(timer)
		observer.disconnect()
	}
	observer.observe(document.body, { childList: true, subtree: true })
	if (!look()) document.dispatchEvent(new CustomEvent(RESTORE_EVENT, { detail: unsent.fields }))
	return stop
}

function isSameForm(form: HTMLFormElement, { fields, names, button }: UnsentForm): boolean {
	if (form.method !== 'post' || namesOf(form).join() !== names.join()) return false
	const hasButton =
		button === '' || [...form.querySelectorAll('button')].some((candidate) => buttonOf(candidate) === button)
	const said = new FormData(form)
	const before = new Map(fields)
	return (
		hasButton &&
		IDENTIFYING_FIELDS.every((name) => names.includes(name) || (before.get(name) ?? null) === said.get(name))
	)
}

/** A form with React state restores itself; in others, the fields are set like by a user. */
function fill(form: HTMLFormElement, fields: FormField[]): void {
	const isOpen = form.dispatchEvent(new CustomEvent(RESTORE_EVENT, { detail: fields, cancelable: true }))
	if (isOpen)
		for (const control of controlsOf(form)) if (control.name && !isSecret(form, control.name)) set(control, fields)
	controlsOf(form)
		.find(({ name, disabled }) => name && !disabled)
		?.focus()
}

function set(control: Control, fields: FormField[]): void {
	const values = fields.filter(([name]) => name === control.name).map(([, value]) => value)
	if (control instanceof HTMLInputElement && (control.type === 'checkbox' || control.type === 'radio')) {
		if (control.checked !== values.includes(control.value)) control.click()
		return
	}
	const value = values[0] ?? ''
	if (control.value === value) return
	// React intercepts the element's own setter to recognize its own changes.
	Object.getOwnPropertyDescriptor(Object.getPrototypeOf(control), 'value')?.set?.call(control, value)
	for (const type of ['input', 'change']) control.dispatchEvent(new Event(type, { bubbles: true }))
}

function isReload(): boolean {
	const [load] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
	return load?.type === 'reload'
}

/** A tab stores one such form: the last one. */
const keyOf = (member: string) => `unsent-form:${member}`

function find(member: string): UnsentForm | null {
	try {
		return JSON.parse(sessionStorage.getItem(keyOf(member)) ?? 'null')
	} catch {
		return null
	}
}

function write(member: string, unsent: UnsentForm | null): void {
	try {
		const text = JSON.stringify(unsent)
		if (unsent && text.length <= MAX_FORM_LENGTH) sessionStorage.setItem(keyOf(member), text)
		else sessionStorage.removeItem(keyOf(member))
	} catch {
		// The browser forbids storage, or it is full.
	}
}
