import { CircleAlert } from 'lucide'
import { Fragment, type MouseEvent, type ReactNode } from 'react'
import { Icon } from './icon.tsx'

type FormErrorProps = {
	/** An error of the whole form. Errors of fields are not repeated here. */
	children?: ReactNode
} & (FieldErrors | { errors?: never; names?: never })

interface FieldErrors {
	/** Errors of fields, by name; each is shown at its field. */
	errors: Record<string, string> | undefined
	/** Labels of the fields, by name, in the order of the form. */
	names: Record<string, string>
}

/** The error of a form above its fields, and the number of wrong fields, with a link to each. */
export function FormError({ children, errors = {}, names = {} }: FormErrorProps) {
	const order = Object.keys(names)
	const wrong = Object.keys(errors).sort((one, other) => order.indexOf(one) - order.indexOf(other))
	const message = typeof children === 'string' && Object.values(errors).includes(children) ? null : children
	if (!message && wrong.length === 0) return null
	return (
		<div
			className="flex gap-2.5 rounded-sm border border-red-line bg-red-wash px-3 py-2.5 leading-5 text-red"
			role="alert"
		>
			<Icon of={CircleAlert} className="mt-0.5" />
			<div className="min-w-0">
				{message && <p>{message}</p>}
				{wrong.length > 0 && (
					<p>
						{wrong.length === 1 ? 'One field needs attention' : `${wrong.length} fields need attention`}:{' '}
						{wrong.map((name, index) => (
							<Fragment key={name}>
								{index > 0 && ', '}
								<a className="underline" href={`#${name}`} onClick={(event) => goTo(event, name)}>
									{names[name] ?? name}
								</a>
							</Fragment>
						))}
					</p>
				)}
			</div>
		</div>
	)
}

/** Focuses a field of this form, whatever its id; without scripts the link targets the id that most fields have. */
function goTo(event: MouseEvent<HTMLElement>, name: string): void {
	const form = event.currentTarget.closest('form')
	const named = form?.querySelector<HTMLElement>(
		`#${CSS.escape(name)}, [name="${CSS.escape(name)}"]:not([type=hidden])`,
	)
	const field = named ?? form?.querySelector<HTMLElement>(`#${CSS.escape(name)}-file`)
	if (!field) return
	event.preventDefault()
	field.focus()
}
