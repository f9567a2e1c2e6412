import type { ReactNode } from 'react'
import { Link } from './link.tsx'

/** The layout of a page below the settings: the way back to them, and a heading. */
export function SettingsPage({ title, children }: { title: string; children: ReactNode }) {
	return (
		<div className="max-w-[44rem] pt-6 md:pt-8">
			<p>
				<Link className="link" to="/settings">
					Settings
				</Link>
			</p>
			<h1 className="mt-2 text-2xl leading-9 font-bold">{title}</h1>
			{children}
		</div>
	)
}

interface ChoiceButtonsProps {
	/** The field that the pressed button sends. */
	name: string
	/** Value and label of each option. */
	choices: readonly (readonly [string, string])[]
	chosen: string
}

/** The buttons of a setting whose form submits when an option is chosen, and so needs no scripts. */
export function ChoiceButtons({ name, choices, chosen }: ChoiceButtonsProps) {
	return choices.map(([value, label]) => (
		<button
			key={value}
			className="chip h-8 px-3"
			name={name}
			value={value}
			type="submit"
			aria-pressed={chosen === value}
			data-selected={chosen === value ? '' : undefined}
		>
			{label}
		</button>
	))
}
