import { siteName } from '~/platform/settings/site-name.server.ts'
import '~/lib/zod-jitless.ts'
import { type ReactNode, Suspense, useEffect, useState } from 'react'
import { Links, Meta, Outlet, Scripts, ScrollRestoration, type ShouldRevalidateFunctionArgs } from 'react-router'
import { config } from '~/config.server.ts'
import { HeaderSearch } from '~/features/finder/components/header-search.tsx'
import { formerNamesOf, redirectToCurrentName } from '~/features/identity/usernames/former-names.server.ts'
import { InboxControl } from '~/features/inbox/components/inbox-control.tsx'
import { getMemberState, noState } from '~/features/inbox/inbox.server.ts'
import { requireConsent } from '~/features/legal/consent.server.ts'
import { isPublished } from '~/features/legal/legal.server.ts'
import { countCases } from '~/features/moderation/queue.server.ts'
import { customReasons } from '~/features/moderation/reports.server.ts'
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
import { withHttpErrors } from '~/platform/http/http.ts'
import { useConnection } from '~/platform/realtime/use-live-event.ts'
import { diskState } from '~/platform/storage/disk.server.ts'
import { lazyWithRetry, lostRequestMiddleware } from '~/shell/guarded.ts'
import { useStorageCleanup } from '~/shell/logout.tsx'
import { Shell } from '~/shell/shell.tsx'
import { useTheme } from '~/shell/theme-switch.tsx'
import type { Route } from './+types/root'
import stylesheet from './app.css?url'
import { EarlyInputScript } from './shell/early-input.tsx'
import { ErrorPage } from './shell/error-page.tsx'
import { BrokenPicturesScript } from './ui/broken-pictures.tsx'
import mono from './ui/fonts/quad-mono.woff2?url'
import letters from './ui/fonts/schibsted-grotesk-letters.woff2?url'
import signs from './ui/fonts/schibsted-grotesk-signs.woff2?url'

/** Loaded on members' pages only, after they have rendered. */
const MemberParts = lazyWithRetry(() => import('./member-parts.tsx'))

const font = { rel: 'preload', as: 'font', type: 'font/woff2', crossOrigin: 'anonymous' } as const

export const links: Route.LinksFunction = () => [
	{ ...font, href: letters },
	{ ...font, href: signs },
	{ ...font, href: mono },
	{ rel: 'stylesheet', href: stylesheet },
	{ rel: 'icon', href: '/favicon.svg', type: 'image/svg+xml' },
	{ rel: 'manifest', href: '/site.webmanifest' },
]

/** Credited if the settings name nobody. The project has no address of its own, so its name links to the site's home page. */
const theProject = { name: 'the DevQuad project', url: '/' }

/** Runs before the loaders of a rendered page or its data. */
export const middleware: Route.MiddlewareFunction[] = [
	({ context, pattern }) => withHttpErrors(() => countPage(viewerOf(context), factsOf(context).ip, pattern)),
	({ context, request, url }) => withHttpErrors(() => requireConsent(viewerOf(context), request, url)),
	redirectToCurrentName,
]

export const clientMiddleware = lostRequestMiddleware

/** Data of every page: two counters for a member and whether they may write in one statement, a third one for a moderator, and no statement for a visitor. */
export async function loader({ request, context, url }: Route.LoaderArgs): Promise<RootData> {
	const { theme, flash, requestId, now, isViewerUnknown } = factsOf(context)
	const viewer = viewerOf(context)
	const { publicUrl } = config()
	const reservedTags = tagsReservedFrom(viewer)
	const formerNames = viewer ? formerNamesOf(viewer.id) : []
	const { style } = siteAppearance()
	const [{ notifications: unread, conversations, writing }, openCases] = await Promise.all([
		orWhileAway(getMemberState(viewer), noState),
		orWhileAway(countCases(viewer), 0),
	])
	return {
		viewer,
		...(formerNames.length > 0 && { formerNames }),
		isViewerUnknown,
		disk: isModerator(viewer) ? await diskState() : null,
		unread,
		conversations,
		openCases,
		announcement: announcementFor(viewer, request.headers.get('Cookie')),
		...(writing && { writing }),
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

/** What the report form needs: the site's own reasons, and whether it has terms; nothing if neither. */
function reportingData(): Pick<RootData, 'reporting'> {
	const reasons = customReasons()
	const hasTerms = isPublished('terms')
	return reasons || hasTerms ? { reporting: { hasTerms, ...(reasons && { reasons }) } } : {}
}

/** Pages are rendered without counters during an outage of the database. */
function orWhileAway<Count>(count: Promise<Count>, none: Count): Promise<Count> {
	return count.catch((error) => {
		if (error instanceof Unavailable) return none
		throw error
	})
}

/** Whether a form was sent since the root's data were loaded: a link that is followed at once replaces the reloading. */
let isStale = false

/** Reloaded after forms, which may change it, and on a redirect to the login. Other navigations do not wait for it. */
export function shouldRevalidate({
	formMethod,
	currentUrl,
	nextUrl,
	defaultShouldRevalidate,
}: ShouldRevalidateFunctionArgs): boolean {
	if (formMethod && formMethod !== 'GET') {
		isStale ||= defaultShouldRevalidate
		return defaultShouldRevalidate
	}
	if (isStale) return true
	return nextUrl.pathname === '/login' && (currentUrl.pathname !== '/login' || defaultShouldRevalidate)
}

/** The document of all pages and of the error page. */
export function Layout({ children }: { children: ReactNode }) {
	return <Document>{children}</Document>
}

function Document({ children }: { children: ReactNode }) {
	const theme = useTheme()
	return (
		<html lang={dateStyle.locale} data-zone={dateStyle.zone} data-theme={theme === 'system' ? undefined : theme}>
			<head>
				<meta charSet="utf-8" />
				<meta name="viewport" content="width=device-width, initial-scale=1, interactive-widget=resizes-content" />
				<meta name="color-scheme" content={theme === 'system' ? 'light dark' : theme} />
				{/* Rendered by the server only: hydration ignores unknown elements in the head. */}
				{import.meta.env.SSR && (
					<>
						<SiteStyle />
						<BrokenPicturesScript />
						<EarlyInputScript />
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

/** The site's logo and accent, if it has its own. */
function SiteStyle() {
	const { style } = useRootData()
	return style && <link rel="stylesheet" href={style} />
}

export default function Root({ loaderData }: Route.ComponentProps) {
	const me = loaderData.viewer?.username
	useStorageCleanup(loaderData.isViewerUnknown ? undefined : loaderData.viewer, loaderData.formerNames)
	useConnection(me)
	const hydrated = useHydrated()
	// biome-ignore lint/correctness/useExhaustiveDependencies: whenever they are new
	useEffect(() => {
		isStale = false
	}, [loaderData])
	// Kept if the session ends while the page is open.
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
