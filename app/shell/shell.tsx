import { type ReactNode, Suspense } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { Footer } from './footer.tsx'
import { lazyPart } from './guarded.ts'
import { Header } from './header.tsx'
import { usePopoversClosedOnNavigation } from './popover.ts'
import { RouteFocus } from './route-focus.tsx'
import { Toaster } from './toaster.tsx'

/** Seen by few, so that it does not weigh on the first page. */
const DiskBanner = lazyPart(() => import('./disk-banner.tsx').then((banner) => ({ default: banner.DiskBanner })))

/**
 * The frame of every page.
 * @param inbox the header's way to what happened for a member
 * @param children the page: it brings its own `h1`, and `main` is already around it
 */
export function Shell({ inbox, children }: { inbox: ReactNode; children: ReactNode }) {
	const { disk } = useRootData()
	usePopoversClosedOnNavigation()
	return (
		<>
			<a className="btn btn-primary skip-link" href="#main">
				Skip to content
			</a>
			<Header inbox={inbox} />
			{disk && (
				<Suspense>
					<DiskBanner disk={disk} />
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
