interface ChoiceButtonsProps {
	/** The field that the pressed button sends. */
	name: string
	/** Value and label of each option. */
	choices: readonly (readonly [string, string])[]
	chosen: string
}

/** The buttons of a form that submits when an option is chosen, and so needs no scripts. */
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
