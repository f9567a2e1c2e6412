import { Form } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'

const themes = [
	['system', 'Same as the system'],
	['light', 'Light'],
	['dark', 'Dark'],
] as const

/** Chooses the theme; a form, so that it works before and without scripts. */
export function ThemeForm() {
	const { theme } = useRootData()
	return (
		<Form method="post" action="/theme" className="flex flex-wrap gap-2 py-2" preventScrollReset>
			<input type="hidden" name="redirectTo" value="/settings" />
			{themes.map(([value, label]) => (
				<button
					key={value}
					className="chip h-8 px-3"
					name="theme"
					value={value}
					type="submit"
					aria-pressed={theme === value}
					data-selected={theme === value ? '' : undefined}
				>
					{label}
				</button>
			))}
		</Form>
	)
}
