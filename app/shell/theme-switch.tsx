import { useFetcher, useLocation } from 'react-router'
import { type RootData, useRootData } from '~/lib/root-data.ts'

const choices = [
	{ theme: 'light', label: 'Light' },
	{ theme: 'dark', label: 'Dark' },
	{ theme: 'system', label: 'System' },
] as const

/** The fetcher that all forms of the theme share, so that each shows what another one is sending. */
export const useThemeFetcher = () => useFetcher({ key: 'theme' })

/** Three buttons that set the theme of this browser; a form, so it needs no script. */
export function ThemeSwitch() {
	const fetcher = useThemeFetcher()
	const { pathname, search } = useLocation()
	const current = useTheme()
	return (
		<fetcher.Form method="post" action="/theme">
			<input type="hidden" name="redirectTo" value={pathname + search} />
			<fieldset className="flex" aria-label="Theme">
				{choices.map(({ theme, label }) => (
					<button
						key={theme}
						type="submit"
						name="theme"
						value={theme}
						className="icon-btn icon-btn-sm"
						aria-label={`${label} theme`}
						aria-pressed={theme === current}
						data-pressed={theme === current || undefined}
						data-icon={theme}
					/>
				))}
			</fieldset>
		</fetcher.Form>
	)
}

/** The chosen theme: the one being saved, else the saved one. */
export function useTheme(): RootData['theme'] {
	const { theme } = useRootData()
	const sent = useThemeFetcher().formData?.get('theme')
	return sent === 'light' || sent === 'dark' || sent === 'system' ? sent : theme
}
