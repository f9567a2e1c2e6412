import { useRootData } from '~/lib/root-data.ts'
import { ThemeSwitch } from './theme-switch.tsx'

/** The foot of every page: whose site this is, and the theme for readers without an account. */
export function Footer() {
	const { siteName } = useRootData()
	return (
		<footer className="mt-auto border-t border-line">
			<div className="mx-auto flex max-w-page flex-wrap items-center justify-between gap-x-8 gap-y-2 px-4 py-4 text-sm text-ink-3 sm:px-6">
				<p>
					{siteName}. Made on campus
					<Credit />.
				</p>
				<ThemeSwitch />
			</div>
		</footer>
	)
}

function Credit() {
	const { author } = useRootData()
	if (!author) return null
	if (!author.url) return <> by {author.name}</>
	return (
		<>
			{' by '}
			<a className="link text-ink-2" href={author.url}>
				{author.name}
			</a>
		</>
	)
}
