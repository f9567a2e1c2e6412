import { Eye, EyeOff } from 'lucide'
import { type ComponentProps, type ReactNode, useState } from 'react'
import { describedBy, FieldShell } from './field.tsx'
import { Icon } from './icon.tsx'

interface PasswordFieldProps extends Omit<ComponentProps<'input'>, 'name' | 'type'> {
	label: string
	name: string
	error?: string | null | undefined
	hint?: ReactNode
	aside?: ReactNode
}

/** A password field with a button that shows the password; without JavaScript there is no button. */
export function PasswordField({ label, name, error, hint, aside, id = name, ...input }: PasswordFieldProps) {
	const [shown, setShown] = useState(false)
	return (
		<FieldShell label={label} name={name} error={error} hint={hint} aside={aside} id={id}>
			<div className="relative">
				<input
					className="input pr-11"
					type={shown ? 'text' : 'password'}
					id={id}
					name={name}
					spellCheck={false}
					autoCapitalize="none"
					{...input}
					{...describedBy(id, error, hint)}
				/>
				<button
					type="button"
					className="icon-btn icon-btn-sm absolute top-1 right-1 noscript:hidden"
					aria-label={shown ? 'Hide password' : 'Show password'}
					onClick={() => setShown(!shown)}
				>
					<Icon of={shown ? EyeOff : Eye} />
				</button>
			</div>
		</FieldShell>
	)
}
