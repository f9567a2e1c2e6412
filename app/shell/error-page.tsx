import { RotateCw, Search } from 'lucide'
import { Suspense } from 'react'
import { isRouteErrorResponse, useLocation } from 'react-router'
import { messageOf } from '~/lib/errors.ts'
import { useRootData } from '~/lib/root-data.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { ErrorMessage, HomeLink, RefusalMessage } from './error-message.tsx'
import { lazyWithRetry } from './guarded.ts'

/** Rarely seen, so it must not slow down the first page. */
const RequestFailedPage = lazyWithRetry(() =>
	import('./site-fault-page.tsx').then((page) => ({ default: page.RequestFailedPage })),
)

/** The error page, in the frame of the site; works even when nothing was loaded. */
export function ErrorPage({ error }: { error: unknown }) {
	if (isRouteErrorResponse(error) && [401, 503, 507].includes(error.status)) {
		return (
			<Suspense>
				<RequestFailedPage error={error} />
			</Suspense>
		)
	}
	if (isRouteErrorResponse(error) && error.status === 404) return <NothingHere what={messageOf(error.data)} />
	if (isRouteErrorResponse(error) && error.status < 500)
		return <RefusalMessage status={error.status} said={messageOf(error.data)} />
	return <Unexpected />
}

function NothingHere({ what }: { what: string }) {
	const { pathname } = useLocation()
	const { siteName } = useRootData()
	const isMember = pathname.startsWith('/find-dev/')
	// Its first sentence is the heading.
	const end = what.indexOf('. ') + 1
	const title = what.slice(0, end || undefined)
	const usual = isMember
		? 'No developer has this username. It may be misspelt.'
		: 'It may have been deleted, or the link is wrong.'
	const search = isMember ? 'Search people and skills' : 'Search topics'
	return (
		<div className="grid grid-cols-1 gap-x-16 gap-y-12 py-12 md:py-20 lg:grid-cols-[minmax(0,1fr)_20rem]">
			<title>{`${title || 'Not found'} · ${siteName}`}</title>
			<div className="min-w-0">
				<p className="text-sm text-ink-3">Page not found</p>
				<h1 className="mt-3 text-3xl font-bold text-balance sm:text-4xl">
					{title || (
						<>
							There is nothing <br />
							at this address.
						</>
					)}
				</h1>
				<p className="mt-5 max-w-[46ch] text-lg text-pretty text-ink-2">{end > 0 ? what.slice(end) : usual}</p>
				<search>
					<Form
						className="mt-7 flex max-w-md gap-2 max-[16rem]:flex-col"
						action={isMember ? '/find-dev' : '/forum'}
						method="get"
					>
						<div className="input-box min-h-11 min-w-0 flex-1 flex-nowrap">
							<Icon of={Search} />
							<input type="search" name="q" aria-label={search} placeholder={search} />
						</div>
						<button type="submit" className="btn btn-primary btn-lg">
							Search
						</button>
					</Form>
				</search>
			</div>
			<nav aria-label="Where to go">
				<SectionHeading title="Where to go" />
				<ul>
					<WayOut to="/" note="today">
						Home
					</WayOut>
					<WayOut to="/find-dev" note="people">
						Community
					</WayOut>
					<WayOut to="/forum" note="queries">
						Forum
					</WayOut>
				</ul>
			</nav>
		</div>
	)
}

function WayOut({ to, note, children }: { to: string; note: string; children: string }) {
	return (
		<li>
			<Link className="index-row" to={to}>
				{children}
				<span className="num">{note}</span>
			</Link>
		</li>
	)
}

function Unexpected() {
	const { path, requestId } = useRootData()
	const { pathname, search } = useLocation()
	// The root's response names this request only if it was made for this address.
	const reference = path === pathname + search ? requestId : ''
	return (
		<ErrorMessage title="Unexpected Application Error!" actions={<Ways />}>
			Something on this page went wrong. What you had already saved is safe; what you were typing may not be.
			{reference && (
				<span className="mt-6 block text-base text-ink-3">
					If it happens again, tell the people who run this site this reference:{' '}
					<code className="font-mono text-sm break-all text-ink">{reference}</code>. It contains nothing about you.
				</span>
			)}
		</ErrorMessage>
	)
}

/** A plain link reloads the same address, so it works without any script. */
function Ways() {
	const { pathname, search } = useLocation()
	return (
		<>
			<a className="btn btn-primary" href={pathname + search}>
				<Icon of={RotateCw} /> Reload the page
			</a>
			<HomeLink />
		</>
	)
}
