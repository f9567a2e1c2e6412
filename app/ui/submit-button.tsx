import { LoaderCircle } from 'lucide'
import type { MouseEvent, ReactNode } from 'react'
import { useNavigation, useResolvedPath } from 'react-router'
import { Icon } from './icon.tsx'

interface SubmitButtonProps {
	/** The label while the form is being sent, such as “Saving...”; by default “Working...”. */
	busyLabel?: string
	className?: string
	/** The form's address; this page's by default. */
	action?: string
	/** Sent with the form; identifies this button among others of the page. */
	name?: string
	value?: string
	children: ReactNode
}

/** Submits its form. Meanwhile the button is busy and cannot be pressed again. */
export function SubmitButton({
	busyLabel = 'Working...',
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
		<button type="submit" className={className} name={name} value={value} {...busyButtonProps(busy)}>
			{busy && <Spinner />}
			{busy ? busyLabel : children}
		</button>
	)
}

/**
 * The properties of a button of which only one press at a time may have an effect. A busy one keeps the focus, which browsers take from
 * a button that is `disabled`.
 * @param onPress what the button does, unless it submits its form
 */
export function busyButtonProps(busy: boolean, onPress?: () => void) {
	const wait = (event: MouseEvent) => event.preventDefault()
	return { 'aria-disabled': busy || undefined, 'aria-busy': busy || undefined, onClick: busy ? wait : onPress }
}

/**
 * For the start of a form whose buttons do different things: a browser presses the first one when Enter is pressed in a field, and a
 * disabled one does nothing.
 */
export function PreventEnterSubmit() {
	return <button type="submit" disabled hidden />
}

/** Shown before the label of a busy button. */
export function Spinner() {
	return <Icon of={LoaderCircle} className="spin" />
}
