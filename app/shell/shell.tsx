import type { ReactNode } from 'react'
import { DiskBanner } from './disk-banner.tsx'
import { Footer } from './footer.tsx'
import { Header } from './header.tsx'
import { useLostPage } from './lost-page.ts'
import { usePopoversClosedOnNavigation } from './popover.ts'
import { RouteFocus } from './route-focus.tsx'
import { Toaster } from './toaster.tsx'

/**
 * The frame of every page.
 * @param inbox the header's way to what happened for a member
 * @param children the page: it brings its own `h1`, and `main` is already around it
 */
export function Shell({ inbox, children }: { inbox: ReactNode; children: ReactNode }) {
	usePopoversClosedOnNavigation()
	useLostPage(offerWhole)
	return (
		<>
			<a className="btn btn-primary skip-link" href="#main">
				Skip to content
			</a>
			<Header inbox={inbox} />
			<DiskBanner />
			<main id="main" tabIndex={-1} className="mx-auto w-full max-w-page px-4 pb-16 outline-none sm:px-6">
				{children}
			</main>
			<Footer />
			<Toaster />
			<RouteFocus />
		</>
	)
}

const offerWhole = (address: string) => (
	<>
		A part of that page could not be loaded.{' '}
		<a className="link" href={address}>
			Load it again
		</a>
	</>
)
