import { ChevronDown, CircleAlert } from 'lucide'
import type { ComponentProps, ReactNode } from 'react'
import { Icon } from './icon.tsx'

interface FieldFrame {
	label: string
	name: string
	/** What is wrong and what to do; null or undefined when nothing is. */
	error?: string | null | undefined
	hint?: ReactNode
	/** Stands at the right of the label, for example a link. */
	aside?: ReactNode
	/** Says so after the label, on forms where most fields are wanted. */
	optional?: boolean | undefined
}

type FieldProps = FieldFrame & Omit<ComponentProps<'input'>, 'name'>

/** An input with its label above, hint or error below. The label is tied to the input by an id made of its name. */
export function Field({ label, name, error, hint, aside, optional, id = name, ...input }: FieldProps) {
	return (
		<FieldShell {...{ label, name, error, hint, aside, optional, id }}>
			<input className="input" type="text" id={id} name={name} {...input} {...described(id, error, hint)} />
		</FieldShell>
	)
}

type TextAreaProps = FieldFrame & Omit<ComponentProps<'textarea'>, 'name'>

/** As {@link Field}, for a text of several lines. */
export function TextArea({ label, name, error, hint, aside, optional, id = name, ...input }: TextAreaProps) {
	return (
		<FieldShell {...{ label, name, error, hint, aside, optional, id }}>
			<textarea className="input" id={id} name={name} {...input} {...described(id, error, hint)} />
		</FieldShell>
	)
}

type SelectProps = FieldFrame & Omit<ComponentProps<'select'>, 'name'>

/** As {@link Field}, for one of a few things; its children are the options. */
export function Select({ label, name, error, hint, aside, optional, id = name, ...input }: SelectProps) {
	return (
		<FieldShell {...{ label, name, error, hint, aside, optional, id }}>
			<span className="relative block">
				<select
					className="input cursor-pointer appearance-none pr-9"
					id={id}
					name={name}
					{...input}
					{...described(id, error, hint)}
				/>
				<Icon
					of={ChevronDown}
					className="icon-sm pointer-events-none absolute top-1/2 right-3 -translate-y-1/2 text-ink-3"
				/>
			</span>
		</FieldShell>
	)
}

/** The label, hint and error around a control that carries {@link described}. */
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

/** Ties a control to its hint and error for readers who do not see them. */
export function described(id: string, error: string | null | undefined, hint: ReactNode) {
	const parts = [error && `${id}-error`, hint && `${id}-hint`].filter(Boolean)
	return { 'aria-invalid': error ? true : undefined, 'aria-describedby': parts.join(' ') || undefined }
}
