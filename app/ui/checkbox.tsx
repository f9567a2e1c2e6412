import type { ComponentProps, ReactNode } from 'react'

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
