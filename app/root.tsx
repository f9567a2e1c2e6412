import { siteName } from '~/platform/settings/site-name.server.ts'
import '~/lib/zod-jitless.ts'
import { type ReactNode, Suspense, useState } from 'react'
import { Links, Meta, Outlet, Scripts, ScrollRestoration, type ShouldRevalidateFunctionArgs } from 'react-router'
import { config } from '~/config.server.ts'
import { HeaderSearch } from '~/features/finder/components/header-search.tsx'
import { redirectToCurrentName } from '~/features/identity/usernames/addresses.server.ts'
import { InboxControl } from '~/features/inbox/components/inbox-control.tsx'
import { countWaiting } from '~/features/inbox/inbox.server.ts'
import { askForConsent } from '~/features/legal/consent.server.ts'
import { isPublished } from '~/features/legal/legal.server.ts'
import { countCases } from '~/features/moderation/queue.server.ts'
import { ownReasons } from '~/features/moderation/reports.server.ts'
import { PendingForum } from '~/features/question-lists/components/question-skeleton.tsx'
import { countPage } from '~/features/rate-limits/rate-limits.server.ts'
import { announcementFor } from '~/features/site-settings/announcement.server.ts'
import { siteAuthor } from '~/features/site-settings/site.server.ts'
import { tagsReservedFrom } from '~/features/tags/tag-rules.server.ts'
import { factsOf, viewerOf } from '~/lib/context.ts'
import { dateStyle } from '~/lib/dates.ts'
import { Unavailable } from '~/lib/errors.ts'
import { type RootData, useRootData } from '~/lib/root-data.ts'
import { useHydrated } from '~/lib/use-hydrated.ts'
import { isModerator } from '~/lib/viewer.ts'
import { siteAppearance } from '~/platform/appearance/appearance.server.ts'
import { answering } from '~/platform/http/http.ts'
import { useConnection } from '~/platform/realtime/use-live-event.ts'
import { diskState } from '~/platform/storage/disk.server.ts'
import { lazyPart, settling } from '~/shell/guarded.ts'
import { useOwnStorage } from '~/shell/logout.tsx'
import { Shell } from '~/shell/shell.tsx'
import { useTheme } from '~/shell/theme-switch.tsx'
import type { Route } from './+types/root'
import stylesheet from './app.css?url'
import { EarlyClicksScript } from './shell/early-input.tsx'
import { ErrorPage } from './shell/error-page.tsx'
import { BrokenPicturesScript } from './ui/broken-pictures.tsx'
import mono from './ui/fonts/quad-mono.woff2?url'
import letters from './ui/fonts/schibsted-grotesk-letters.woff2?url'
import signs from './ui/fonts/schibsted-grotesk-signs.woff2?url'

/** Weighs on members' pages alone, and on them once they stand. */
const MemberParts = lazyPart(() => import('./member-parts.tsx'))

const font = { rel: 'preload', as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' } as const

export const links: Route.LinksFunction = () => [
	{ ...font, href: letters },
	{ ...font, href: signs },
	{ ...font, href: mono },
	{ rel: 'stylesheet', href: stylesheet },
	{ rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
	{ rel: 'manifest', href: '/site.webmanifest' },
]

/** Credited where the settings name nobody. The project has no address of its own, so its name leads to the site's first page. */
const theProject = { name: 'the DevQuad project', url: '/' }

/** Before any loader: a page, or its data, that is made for this request. */
export const middleware: Route.MiddlewareFunction[] = [
	({ context, url }) => answering(() => countPage(viewerOf(context), factsOf(context).ip, url.pathname)),
	({ context, request, url }) => answering(() => askForConsent(viewerOf(context), request, url)),
	redirectToCurrentName,
]

export const clientMiddleware = settling

/** What every page knows; reads two counters for a member in one statement, a third for a moderator, and no database for a visitor. */
export async function loader({ request, context, url }: Route.LoaderArgs): Promise<RootData> {
	const { theme, flash, requestId, now, isViewerUnknown } = factsOf(context)
	const viewer = viewerOf(context)
	const { publicUrl } = config()
	const reservedTags = tagsReservedFrom(viewer)
	const { style } = siteAppearance()
	const [{ notifications: unread, conversations }, openCases] = await Promise.all([
		orWhileAway(countWaiting(viewer), { notifications: 0, conversations: 0 }),
		orWhileAway(countCases(viewer), 0),
	])
	return {
		viewer,
		isViewerUnknown,
		disk: isModerator(viewer) ? await diskState() : null,
		unread,
		conversations,
		openCases,
		announcement: announcementFor(viewer, request.headers.get('Cookie')),
		siteName: siteName(),
		...(style && { style: style.href }),
		...(viewer && reportingData()),
		...(viewer && reservedTags.length > 0 && { reservedTags }),
		author: siteAuthor() ?? theProject,
		theme,
		now,
		flash,
		path: url.pathname + url.search,
		publicUrl,
		requestId,
	}
}

/** What a report is told of this site; nothing where all of it comes with the software. */
function reportingData(): Pick<RootData, 'reporting'> {
	const reasons = ownReasons()
	const hasTerms = isPublished('terms')
	return reasons || hasTerms ? { reporting: { hasTerms, ...(reasons && { reasons }) } } : {}
}

/** The frame of a page stands without its counters while the database is away. */
function orWhileAway<Count>(count: Promise<Count>, none: Count): Promise<Count> {
	return count.catch((error) => {
		if (error instanceof Unavailable) return none
		throw error
	})
}

/**
 * A form may change what every page knows, and a page that leads to the login found the session gone. Any other page opens
 * without asking again: the answer would hold up its skeleton.
 */
export function shouldRevalidate({
	formMethod,
	currentUrl,
	nextUrl,
	defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean {
	if (formMethod && formMethod !== 'GET') return defaultShouldRevalidate
	return nextUrl.pathname === '/login' && (currentUrl.pathname !== '/login' || defaultShouldRevalidate)
}

/** The document around every page and around the error page. */
export function Layout({ children }: { children: ReactNode }) {
	return <Document>{children}</Document>
}

function Document({ children }: { children: ReactNode }) {
	const theme = useTheme()
	return (
		<html lang={dateStyle.locale} data-zone={dateStyle.zone} data-theme={theme === 'system' ? undefined : theme}>
			<head>
				<meta charSet="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1" />
				<meta name="color-scheme" content={theme === 'system' ? 'light dark' : theme} />
				{/* Only the server writes it: a browser that takes the page over passes over what it does not know in the head. */}
				{import.meta.env.SSR && (
					<>
						<SiteStyle />
						<BrokenPicturesScript />
						<EarlyClicksScript />
					</>
				)}
				<Meta />
				<Links />
			</head>
			<body className="flex min-h-dvh flex-col">
				<Shell inbox={<InboxControl />} Finder={HeaderSearch}>
					{children}
				</Shell>
				<ScrollRestoration />
				<Scripts />
			</body>
		</html>
	)
}

/** The logo and the accent of this site, where it has its own. */
function SiteStyle() {
	const { style } = useRootData()
	return style && <link rel="stylesheet" href={style} />
}

export default function Root({ loaderData }: Route.ComponentProps) {
	const me = loaderData.viewer?.username
	useOwnStorage(me ?? null)
	useConnection(me)
	const hydrated = useHydrated()
	// Stays when the session ends while its page is open.
	const [member, setMember] = useState(me)
	if (me && me !== member) setMember(me)
	return (
		<>
			<PendingForum>
				<Outlet />
			</PendingForum>
			{hydrated && member && (
				<Suspense>
					<MemberParts member={member} />
				</Suspense>
			)}
		</>
	)
}

export function ErrorBoundary({ error }: Route.ErrorBoundaryProps) {
	return <ErrorPage error={error} />
}
