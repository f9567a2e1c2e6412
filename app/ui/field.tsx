import { ChevronDown, CircleAlert } from 'lucide'
import type { ComponentProps, ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface FieldFrame {
	label: string
	name: string
	/** The error and how to fix it; null or undefined for none. */
	error?: string | null | undefined
	hint?: ReactNode
	/** At the right of the label, for example a link. */
	aside?: ReactNode
	/** Marked after the label, on forms where most fields are required. */
	optional?: boolean | undefined
}

type FieldProps = FieldFrame & Omit<ComponentProps<'input'>, 'name'>

/** An input with its label above, and hint or error below. The id that connects them is derived from the name. */
export function Field({ label, name, error, hint, aside, optional, id = name, ...input }: FieldProps) {
	return (
		<FieldShell label={label} name={name} error={error} hint={hint} aside={aside} optional={optional} id={id}>
			<input className="input" type="text" id={id} name={name} {...input} {...describedBy(id, error, hint)} />
		</FieldShell>
	)
}

type TextAreaProps = FieldFrame & Omit<ComponentProps<'textarea'>, 'name'>

/** Like {@link Field}, for a text of several lines. */
export function TextArea({ label, name, error, hint, aside, optional, id = name, ...input }: TextAreaProps) {
	return (
		<FieldShell label={label} name={name} error={error} hint={hint} aside={aside} optional={optional} id={id}>
			<textarea className="input" id={id} name={name} {...input} {...describedBy(id, error, hint)} />
		</FieldShell>
	)
}

type SelectProps = FieldFrame & Omit<ComponentProps<'select'>, 'name'>

/** Like {@link Field}, for a choice; its children are the options. */
export function Select({ label, name, error, hint, aside, optional, id = name, ...input }: SelectProps) {
	return (
		<FieldShell label={label} name={name} error={error} hint={hint} aside={aside} optional={optional} id={id}>
			<span className="relative block">
				<select
					className="input cursor-pointer appearance-none pr-9"
					id={id}
					name={name}
					{...input}
					{...describedBy(id, error, hint)}
				/>
				<Icon of={ChevronDown} className="icon-sm pointer-events-none absolute inset-y-0 right-3 my-auto text-ink-3" />
			</span>
		</FieldShell>
	)
}

/** The label, hint and error around a control that carries {@link describedBy}. */
export function FieldShell({
	label,
	error,
	hint,
	aside,
	optional,
	id,
	children,
}: FieldFrame & { id: string; children: ReactNode }) {
	return (
		<div className="field">
			<div className="flex items-baseline justify-between gap-3">
				<label className="label" htmlFor={id}>
					{label}
					{optional && <span className="font-normal text-ink-3"> optional</span>}
				</label>
				{aside}
			</div>
			{children}
			{hint && (
				<p className="hint wrap-anywhere" id={`${id}-hint`}>
					{hint}
				</p>
			)}
			{error && (
				<p className="error" id={`${id}-error`}>
					<Icon of={CircleAlert} className="icon-sm mt-px" />
					<span>{error}</span>
				</p>
			)}
		</div>
	)
}

/** Connects a control to its hint and error for screen readers. */
export function describedBy(id: string, error: string | null | undefined, hint: ReactNode) {
	const parts = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean)
	return { 'aria-invalid': error ? true : undefined, 'aria-describedby': parts.join(' ') || undefined }
}

interface CheckProps extends Omit<ComponentProps<'input'>, 'name' | 'type'> {
	name: string
	children: ReactNode
	/** One line below the label. */
	hint?: string
}

/** A checkbox with its label at the right. */
export function Checkbox({ name, children, hint, id = name, ...input }: CheckProps) {
	return (
		<div>
			<label className="check" htmlFor={id}>
				<input
					className="check-box"
					type="checkbox"
					id={id}
					name={name}
					aria-describedby={hint && `${id}-hint`}
					{...input}
				/>
				<span>{children}</span>
			</label>
			{hint && (
				<p className="hint -mt-0.5 pl-6.5" id={`${id}-hint`}>
					{hint}
				</p>
			)}
		</div>
	)
}
