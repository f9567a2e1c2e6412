import { type ReactNode, Suspense } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { lazyWithRetry } from './guarded.ts'
import { Header, type HeaderProps } from './header.tsx'
import { RouteFocus, usePopoversClosedOnNavigation } from './navigation.tsx'
import { ThemeSwitch } from './theme-switch.tsx'
import { Toaster } from './toaster.tsx'

/** Rarely seen, so it must not slow down the first page. */
const DiskBanner = lazyWithRetry(() =>
	import('./site-fault-page.tsx').then((banner) => ({ default: banner.DiskBanner })),
)

const Announcement = lazyWithRetry(() => import('./announcement.tsx'))

/**
 * The frame of every page, with the features' parts of its header.
 * @param children the page: it brings its own `h1`, and `main` is already around it
 */
export function Shell({ children, ...header }: HeaderProps & { children: ReactNode }) {
	const { disk, announcement } = useRootData()
	usePopoversClosedOnNavigation()
	return (
		<>
			<a className="btn btn-primary skip-link" href="#main">
				Skip to content
			</a>
			<Header {...header} />
			{disk && (
				<Suspense>
					<DiskBanner disk={disk} />
				</Suspense>
			)}
			{announcement && (
				<Suspense>
					<Announcement announcement={announcement} />
				</Suspense>
			)}
			<main id="main" tabIndex={-1} className="mx-auto w-full max-w-page px-4 pb-16 outline-none sm:px-6">
				{children}
			</main>
			<Footer />
			<Toaster />
			<RouteFocus />
		</>
	)
}

/** The footer of every page: credits, and the theme for readers without an account. */
function Footer() {
	const { siteName } = useRootData()
	return (
		<footer className="mt-auto border-t border-line">
			<div className="mx-auto flex max-w-page flex-wrap items-center justify-between gap-x-8 gap-y-2 px-4 py-4 text-sm text-ink-3 sm:px-6">
				<p>
					{siteName}. Made on campus
					<Credit />.
				</p>
				<p>
					<a href="/terms">Terms</a> · <a href="/privacy">Privacy</a> · <a href="/imprint">Imprint</a>
				</p>
				<ThemeSwitch />
			</div>
		</footer>
	)
}

function Credit() {
	const { author } = useRootData()
	if (!author) return null
	if (!author.url)
		return (
			<>
				{' by '}
				<bdi>{author.name}</bdi>
			</>
		)
	return (
		<>
			{' by '}
			<a className="link text-ink-2" href={author.url}>
				<bdi>{author.name}</bdi>
			</a>
		</>
	)
}
