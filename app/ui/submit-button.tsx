import { LoaderCircle } from 'lucide'
import type { ReactNode } from 'react'
import { useNavigation, useResolvedPath } from 'react-router'
import { Icon } from './icon.tsx'

interface SubmitButtonProps {
	/** Stands in the button while the form is on its way: “Saving...”. */
	busyLabel: string
	className?: string
	/** The form's address; this page's when it is not given. */
	action?: string
	/** Sent with the form, and what tells this button's sending from another's on the same page. */
	name?: string
	value?: string
	children: ReactNode
}

/** Sends its form. While it is on its way the button is busy and cannot be pressed again. */
export function SubmitButton({
	busyLabel,
	className = 'btn btn-primary',
	action = '.',
	name,
	value,
	children,
}: SubmitButtonProps) {
	const navigation = useNavigation()
	const own = useResolvedPath(action).pathname
	const sameForm = name === undefined || navigation.formData?.get(name) === value
	const busy = navigation.state !== 'idle' && navigation.formAction?.split('?')[0] === own && sameForm
	return (
		<button type="submit" className={className} name={name} value={value} disabled={busy} aria-busy={busy || undefined}>
			{busy && <Spinner />}
			{busy ? busyLabel : children}
		</button>
	)
}

/** Goes before the words of a busy button. */
export function Spinner() {
	return <Icon of={LoaderCircle} className="spin" />
}
