import { type FormEvent, Fragment, type ReactNode, type RefObject, useEffect, useId, useRef, useState } from 'react'
import { useBlocker, useLocation, useNavigation } from 'react-router'
import { type FormField, RESTORE_EVENT } from '~/lib/unsent-form.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { type FormRefusal, type FormValues, formValues, type SavedValues } from '~/platform/http/form.ts'
import { toast } from '~/shell/toast.ts'
import { useToastOffset } from '~/shell/use-toast-offset.ts'
import { type ChoiceNames, ConflictNotice, type FieldNames } from '~/ui/conflict-notice.tsx'
import { Dialog } from '~/ui/dialog.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { useRefusal } from '~/ui/form-kit.ts'
import { Form, Link } from '~/ui/link.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { useFieldFocus } from '~/ui/use-focus-kept.ts'

interface FooterState {
	dirty: boolean
	/** For links that leave the form on purpose: skips the confirmation. */
	leave: () => void
}

interface EditFormProps {
	/** Distinguishes forms at the same address. */
	id: string
	start: SavedValues
	refusal: FormRefusal | null
	/** Labels of the fields, for their errors and the description of conflicts. */
	names: FieldNames
	/** Labels of fields that are saved on their own, so that they cannot conflict. */
	apart?: FieldNames
	/** The same for the values of fields with a choice. */
	choices?: ChoiceNames
	/** Whether files are sent with the form without JavaScript. */
	files?: boolean
	/** The id of the item to replace. */
	item?: string
	className?: string
	footer: (state: FooterState) => ReactNode
	children: (values: FormValues, errors: Record<string, string>) => ReactNode
}

/** A form that sends the version it is based on, shows errors at its fields, and asks before unsaved input is lost. */
export function EditForm({ id, start, refusal, names, files, item, className, footer, ...others }: EditFormProps) {
	const { apart, choices, children } = others
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
				onSubmit={(event) => !holdHalfTyped(event) && edit.allow()}
				onReset={edit.discard}
			>
				<FormError errors={stored ? {} : errors} names={{ ...apart, ...names }}>
					{stored ? null : edit.refusal?.message}
				</FormError>
				{stored && edit.refusal && (
					<ConflictNotice stored={stored.values} typed={edit.refusal.values} names={names} choices={choices} />
				)}
				<input type="hidden" name="version" value={stored?.version ?? edit.start.version} />
				{/* A new key remounts the fields with their initial values. */}
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

/**
 * Holds a form with a date or a number that is typed only in part, which the browser would send as if it were empty.
 * @returns whether it did
 */
function holdHalfTyped(event: FormEvent<HTMLFormElement>): boolean {
	const inputs = [...event.currentTarget.elements].filter((element) => element instanceof HTMLInputElement)
	const halfTyped = inputs.find(({ validity }) => validity.badInput)
	if (!halfTyped) return false
	event.preventDefault()
	halfTyped.reportValidity()
	return true
}

/** The values of a rejected form; an unchecked checkbox was not sent. */
function typedOf(refusal: FormRefusal | null, names: FieldNames): FormValues {
	if (!refusal) return {}
	return Object.fromEntries(Object.keys(names).map((name) => [name, refusal.values[name] ?? '']))
}

/** Asks whether to leave unsaved input. @param blocker of {@link useUnsaved} */
export function LeaveDialog({ blocker }: { blocker: ReturnType<typeof useUnsaved>['blocker'] }) {
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
 * The state of an open edit form. Its initial values survive reloads of data while the member types; they are reset after a save, Discard,
 * a navigation or a reload of the page.
 * @param id distinguishes forms at the same address
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
	useFieldFocus(form, key)
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

/** Input from before a session ended, presented as an error without a message, as it is not saved either. */
function asRefusal(unsent: FormValues | null): FormRefusal | null {
	return unsent && { message: '', errors: {}, values: unsent, stored: null }
}

/** Restores input from before a session ended. */
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
 * The error to show in an item's form, not that of deleting or moving an item, which is a toast.
 * @param answer the response to the last form of the page
 */
export function useItemRefusal(answer: FormRefusal | undefined): FormRefusal | null {
	const elsewhere = answer?.values.intent === 'delete' || answer?.values.intent === 'order'
	useEffect(() => {
		if (answer && elsewhere) toast({ type: 'error', message: answer.message })
	}, [answer, elsewhere])
	return answer && !elsewhere ? answer : null
}

/** The initial values: those loaded when the member opened the form, not by a revalidation in the background. */
function useBase(id: string, loaded: SavedValues, refusal: FormRefusal | null) {
	const { key: visit } = useLocation()
	const key = `${id} ${loaded.version}`
	const [base, setBase] = useState({ visit, key, start: loaded })
	if (!refusal && base.visit !== visit) setBase({ visit, key, start: loaded })
	return base
}

/**
 * Whether there is unsaved input, and the confirmation before it is lost.
 * @param key a new one resets the form to the initial values
 */
export function useUnsaved(form: RefObject<HTMLFormElement | null>, key: string, refusal: FormRefusal | null) {
	const clean = useRef<string | null>(null)
	const sending = useRef(false)
	const [dirty, setDirty] = useState(false)
	const look = () => setDirty(clean.current !== saying(form.current, presentOf))

	// biome-ignore lint/correctness/useExhaustiveDependencies: a new key is a new beginning
	useEffect(() => {
		// Rendered with a rejected form before scripts ran: that input was never saved.
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
 * The values of the fields as text, for comparison. Without a form there is nothing to lose. A file field only exists until scripts run;
 * then a hidden field has the picture's path. Pictures that are saved on their own are never unsaved, and browsers fill in the current
 * password by themselves.
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
			.filter(({ autocomplete }) => autocomplete !== 'current-password')
			.map((field) => [field.name, read(field)]),
	)
}

const isCheckbox = (field: ChangingField): field is HTMLInputElement => field.type === 'checkbox'

type ChangingField = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement

function presentOf(field: ChangingField): string {
	return isCheckbox(field) ? String(field.checked) : field.value
}

/** The initial value of a field, even if somebody typed before scripts ran; hidden fields may know it themselves. */
function startOf(field: ChangingField): string {
	if (field instanceof HTMLSelectElement)
		return ([...field.options].find(({ defaultSelected }) => defaultSelected) ?? field.options[0])?.value ?? ''
	if (isCheckbox(field)) return String(field.defaultChecked)
	return field.type === 'hidden' ? (field.dataset.start ?? field.value) : field.defaultValue
}

/** The footer of a form of single fields; it is sticky while the form is longer than the window. */
export function SaveBar({ dirty }: { dirty: boolean }) {
	const bar = useRef<HTMLDivElement>(null)
	useToastOffset(bar)
	return (
		<div
			ref={bar}
			className="save-bar sticky bottom-0 z-10 -mx-1 flex flex-wrap items-center gap-2 bg-paper px-1 py-3 before:absolute before:inset-x-1 before:top-0 before:border-t"
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

/** The footer of an item's form: it adds a new item, or replaces the edited one. */
export function ItemButtons({ what, editing, onLeave }: ItemButtonsProps) {
	const { pathname } = useLocation()
	const bar = useRef<HTMLParagraphElement>(null)
	useToastOffset(bar)
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
