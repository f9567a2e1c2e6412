import { Fragment, type ReactNode, useId } from 'react'
import { Form } from 'react-router'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { ConflictNotice, type FieldNames } from '~/ui/conflict-notice.tsx'
import { Dialog } from '~/ui/dialog.tsx'
import { FormError } from '~/ui/form-error.tsx'
import type { EditRefusal, EditStart, Texts } from '../editing/edit-refusal.ts'
import { useEditForm } from './use-edit-form.ts'

interface FooterState {
	dirty: boolean
	/** For a link that leaves on purpose: nobody is asked. */
	leave: () => void
}

interface EditFormProps {
	/** Tells one form from another at the same address. */
	id: string
	start: EditStart
	refusal: EditRefusal | null
	/** The fields in words, to say where two saves differ. */
	names: FieldNames
	/** Whether files travel with it when there is no JavaScript. */
	files?: boolean
	/** Sent with the form: which item it replaces. */
	item?: string
	className?: string
	footer: (state: FooterState) => ReactNode
	children: (values: Texts, errors: Record<string, string>) => ReactNode
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

/** What was typed into the fields of a refused form; a box that was not ticked was not sent. */
function typedOf(refusal: EditRefusal | null, names: FieldNames): Texts {
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
