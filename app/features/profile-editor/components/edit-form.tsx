import { Fragment, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { useBlocker, useLocation, useNavigation } from 'react-router'
import { type FormField, RESTORE_EVENT } from '~/lib/unsent-form.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { type FormRefusal, type FormValues, formValues, type SavedValues } from '~/platform/http/form.ts'
import { toast } from '~/shell/toast.ts'
import { useToastsAbove } from '~/shell/toasts-above.ts'
import { ConflictNotice, type FieldNames } from '~/ui/conflict-notice.tsx'
import { Dialog } from '~/ui/dialog.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusal } from '~/ui/form-kit.ts'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'

interface FooterState {
	dirty: boolean
	/** For a link that leaves on purpose: nobody is asked. */
	leave: () => void
}

interface EditFormProps {
	/** Tells one form from another at the same address. */
	id: string
	start: SavedValues
	refusal: FormRefusal | null
	/** The fields in words, to say where two saves differ. */
	names: FieldNames
	/** Whether files travel with it when there is no JavaScript. */
	files?: boolean
	/** Sent with the form: which item it replaces. */
	item?: string
	className?: string
	footer: (state: FooterState) => ReactNode
	children: (values: FormValues, errors: Record<string, string>) => ReactNode
}

/** A form that knows the version it was made from, shows what was refused where it belongs, and asks before text is lost. */
export function EditForm({ id, start, refusal, names, files, item, className, footer, children }: EditFormProps) {
	const edit = useEditForm(id, start, refusal)
	const hydrated = useHydrated()
	const errors = edit.refusal?.errors ?? {}
	const stored = edit.refusal?.stored
	const formId = useId()
	return (
		<>
			<Form
				id={formId}
				ref={edit.form}
				className={className}
				method="post"
				encType={files ? 'multipart/form-data' : undefined}
				noValidate={hydrated}
				replace
				preventScrollReset
				onInput={edit.look}
				onChange={edit.look}
				onSubmit={edit.allow}
				onReset={edit.discard}
			>
				<FormError errors={stored ? {} : errors} names={names}>
					{stored ? null : edit.refusal?.message}
				</FormError>
				{stored && edit.refusal && <ConflictNotice stored={stored.values} typed={edit.refusal.values} names={names} />}
				<input type="hidden" name="version" value={stored?.version ?? edit.start.version} />
				{/* A new key is a new beginning: the fields are drawn again with their first values. */}
				{item && <input type="hidden" name="item" value={item} />}
				<Fragment key={edit.key}>
					{children({ ...edit.start.values, ...typedOf(edit.refusal, names) }, errors)}
				</Fragment>
				{footer({ dirty: edit.dirty, leave: edit.allow })}
			</Form>
			<LeaveDialog blocker={edit.blocker} />
		</>
	)
}

/** What was typed into the fields of a refused form; a checkbox that was not ticked was not sent. */
function typedOf(refusal: FormRefusal | null, names: FieldNames): FormValues {
	if (!refusal) return {}
	return Object.fromEntries(Object.keys(names).map((name) => [name, refusal.values[name] ?? '']))
}

function LeaveDialog({ blocker }: { blocker: ReturnType<typeof useEditForm>['blocker'] }) {
	if (blocker.state !== 'blocked') return null
	return (
		<Dialog open title="Leave without saving?" onClose={() => blocker.reset()}>
			<p className="text-ink-2">What you changed on this page is not saved yet.</p>
			<p className="mt-5 flex justify-end gap-2">
				<button type="button" className="btn btn-outline" onClick={() => blocker.reset()}>
					Stay here
				</button>
				<button type="button" className="btn btn-danger" onClick={() => blocker.proceed()}>
					Leave
				</button>
			</p>
		</Dialog>
	)
}

/**
 * What an edit form remembers while it is open. It keeps what it started from while the member types, whatever is loaded
 * again around it; it starts again after its own save, after Discard, and when the member goes elsewhere or reloads.
 * @param id tells one form from another at the same address
 */
export function useEditForm(id: string, loaded: SavedValues, refusal: FormRefusal | null) {
	const form = useRef<HTMLFormElement>(null)
	const [round, setRound] = useState(0)
	const [dismissed, setDismissed] = useState<FormRefusal | null>(null)
	const base = useBase(id, loaded, refusal)
	const [unsent, setUnsent] = useState<FormValues | null>(null)
	const shown = (refusal === dismissed ? null : refusal) ?? asRefusal(unsent)
	const key = `${base.key} ${round}`
	const { dirty, look, allow, sending, blocker } = useUnsaved(form, key, shown)
	const { state } = useNavigation()

	useEffect(() => {
		if (state !== 'idle' || !sending.current) return
		sending.current = false
		if (refusal) return
		setUnsent(null)
		setRound((before) => before + 1)
	}, [state, refusal, sending])

	useRefusal(form, refusal)
	useUnsent(form, (texts) => {
		setUnsent(texts)
		setRound(round + 1)
	})

	const discard = () => {
		setDismissed(refusal)
		setUnsent(null)
		setRound(round + 1)
	}
	const start = unsent ? { ...base.start, version: Number(unsent.version) || base.start.version } : base.start
	return { form, key, start, refusal: shown, dirty, look, allow, sending, blocker, discard }
}

/** What was typed before a session ended, drawn as a refusal without a word: it is not saved either. */
function asRefusal(unsent: FormValues | null): FormRefusal | null {
	return unsent && { message: '', errors: {}, values: unsent, stored: null }
}

/** Tells of what was typed into the form before a session ended, when it comes back. */
function useUnsent(form: RefObject<HTMLFormElement | null>, take: (texts: FormValues) => void): void {
	const latest = useRef(take)
	useEffect(() => {
		latest.current = take
	})
	useEffect(() => {
		const element = form.current
		const hear = (event: Event) => {
			event.preventDefault()
			const data = new FormData()
			for (const [name, value] of (event as CustomEvent<FormField[]>).detail) data.append(name, value)
			latest.current(formValues(data))
		}
		element?.addEventListener(RESTORE_EVENT, hear)
		return () => element?.removeEventListener(RESTORE_EVENT, hear)
	}, [form])
}

/**
 * The refusal that the form of an item has to show: not that of deleting or moving one, which is said as a toast.
 * @param answer what the last form of the page was answered
 */
export function useItemRefusal(answer: FormRefusal | undefined): FormRefusal | null {
	const elsewhere = answer?.values.intent === 'delete' || answer?.values.intent === 'order'
	useEffect(() => {
		if (answer && elsewhere) toast({ type: 'error', message: answer.message })
	}, [answer, elsewhere])
	return answer && !elsewhere ? answer : null
}

/** Where the form started: what was loaded when the member came here, not what a reload in the background brought. */
function useBase(id: string, loaded: SavedValues, refusal: FormRefusal | null) {
	const { key: visit } = useLocation()
	const key = `${id} ${loaded.version}`
	const [base, setBase] = useState({ visit, key, start: loaded })
	if (!refusal && base.visit !== visit) setBase({ visit, key, start: loaded })
	return base
}

/** Whether there is something to lose, and the questions before it is lost. */
function useUnsaved(form: RefObject<HTMLFormElement | null>, key: string, refusal: FormRefusal | null) {
	const clean = useRef<string | null>(null)
	const sending = useRef(false)
	const [dirty, setDirty] = useState(false)
	const look = () => setDirty(clean.current !== saying(form.current, presentOf))

	// biome-ignore lint/correctness/useExhaustiveDependencies: a new key is a new beginning
	useEffect(() => {
		// Drawn with what was refused before the script ran: that was never saved.
		clean.current = refusal ? null : saying(form.current, startOf)
		look()
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
		return elsewhere && !sending.current && clean.current !== saying(form.current, presentOf)
	})
	const allow = () => {
		sending.current = true
	}
	return { dirty, look, allow, sending, blocker }
}

/**
 * What the fields say, one way or the other, to be compared. Without a form there is nothing to lose. The field of a file is
 * there only until the script runs; from then on a hidden one says which picture it is. A picture that is saved by itself is
 * never unsaved.
 */
function saying(form: HTMLFormElement | null, read: (field: ChangingField) => string): string | null {
	if (!form) return null
	const fields = [...form.elements].filter(
		(field) =>
			field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement || field instanceof HTMLSelectElement,
	) as ChangingField[]
	return JSON.stringify(
		fields
			.filter(({ name, type, dataset }) => name && name !== 'version' && type !== 'file' && !('savedAlone' in dataset))
			.map((field) => [field.name, read(field)]),
	)
}

const isCheckbox = (field: ChangingField): field is HTMLInputElement => field.type === 'checkbox'

type ChangingField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

function presentOf(field: ChangingField): string {
	return isCheckbox(field) ? String(field.checked) : field.value
}

/** What a field began with, also when somebody typed before this script ran; a hidden one says so itself if it knows. */
function startOf(field: ChangingField): string {
	if (field instanceof HTMLSelectElement)
		return ([...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0])?.value ?? ''
	if (isCheckbox(field)) return String(field.defaultChecked)
	return field.type === 'hidden' ? (field.dataset.start ?? field.value) : field.defaultValue
}

/** The foot of a form of single fields: it stays in sight while the form is longer than the window. */
export function SaveBar({ dirty }: { dirty: boolean }) {
	const bar = useRef<HTMLDivElement>(null)
	useToastsAbove(bar)
	return (
		<div
			ref={bar}
			className="sticky bottom-0 z-10 -mx-1 flex items-center gap-2 border-t border-line bg-paper px-1 py-3"
		>
			<SubmitButton busyLabel="Saving..." name="choice" value="save">
				Save changes
			</SubmitButton>
			<button className="btn btn-ghost" type="reset">
				Discard
			</button>
			<span className="meta ml-auto" role="status">
				{dirty && 'Unsaved changes'}
			</span>
		</div>
	)
}

interface ItemButtonsProps {
	/** “certificate”, “project”. */
	what: string
	editing: boolean
	/** Called before Cancel leaves on purpose. */
	onLeave: () => void
}

/** The foot of a form for one item: it adds a new one, or replaces the one that is edited. */
export function ItemButtons({ what, editing, onLeave }: ItemButtonsProps) {
	const { pathname } = useLocation()
	const bar = useRef<HTMLParagraphElement>(null)
	useToastsAbove(bar)
	return (
		<p ref={bar} className="flex gap-2">
			<SubmitButton busyLabel="Saving..." name="choice" value="save">
				{editing ? `Update ${what}` : `Add ${what}`}
			</SubmitButton>
			{editing ? (
				<Link className="btn btn-ghost" to={pathname} onClick={onLeave} preventScrollReset>
					Cancel
				</Link>
			) : (
				<button className="btn btn-ghost" type="reset">
					Clear
				</button>
			)}
		</p>
	)
}
