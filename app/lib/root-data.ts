import { useRouteLoaderData } from 'react-router'
import type { Flash } from './context.ts'
import type { Viewer } from './viewer.ts'

/** Data that every page has. */
export interface RootData {
	viewer: Viewer
	/** The viewer's former usernames, under which their browser may have stored something; missing where there are none. */
	formerNames?: readonly string[]
	/** Whether the viewer is logged in but unknown: the page is then rendered for neither a member nor a visitor. */
	isViewerUnknown: boolean
	/** The state of the disk, for staff; null when there is space, and for everybody else. */
	disk: DiskState | null
	/** Number of the viewer's unread notifications. */
	unread: number
	/** Number of conversations with unread messages. */
	conversations: number
	/** Number of open cases for a moderator, at most 100; 0 for other members. */
	openCases: number
	/** The announcement above every page, for this viewer. */
	announcement: AnnouncementView | null
	/** Why the viewer may not write now; missing if they may. */
	writing?: WritingRefusal
	siteName: string
	/** The address of the stylesheet with the site's own logo and accent; missing where there are none. */
	style?: string
	/** The site's own additions to the report form: its reasons, and whether it has terms. */
	reporting?: { reasons?: { value: string; label: string; hint: string }[]; hasTerms: boolean }
	/** Tags that this viewer may not use; missing where there are none. */
	reservedTags?: readonly string[]
	/** The credit in the footer: from the settings, else the project; null when unknown. `url` may be empty. */
	author: { name: string; url: string } | null
	theme: 'light' | 'dark' | 'system'
	/** ISO 8601. Relative times refer to it until hydration, so that server and browser render the same. */
	now: string
	/** The message of a redirect. */
	flash: Flash | null
	/** Path and query of this response. */
	path: string
	/** The public address, without a trailing slash: for canonical links. */
	publicUrl: string
	/** Identifies this response in the log. */
	requestId: string
}

/** For pages that are rendered when nothing could be loaded, such as the error page. */
export const emptyRootData: RootData = {
	viewer: null,
	isViewerUnknown: true,
	disk: null,
	unread: 0,
	conversations: 0,
	openCases: 0,
	announcement: null,
	siteName: 'DevQuad',
	author: null,
	theme: 'system',
	now: new Date(0).toISOString(),
	flash: null,
	path: '',
	publicUrl: '',
	requestId: '',
}

/** The root loader's data, anywhere in a page; safe defaults when the root loader failed. */
export function useRootData(): RootData {
	return useRouteLoaderData<RootData>('root') ?? emptyRootData
}

/** Whom this page was loaded for, to scripts outside of components; null for a visitor and where the root loader failed. */
export function viewerOfPage(): Viewer {
	const root: RootData | undefined = window.__reactRouterDataRouter.state.loaderData.root
	return root?.viewer ?? null
}

/** The site's announcement. `link` may lead to another site; `id` identifies it when it is closed. */
export interface AnnouncementView {
	id: string
	text: string
	link: { url: string; text: string } | null
	isClosable: boolean
}

/** Why a member may not write, as a sentence for them, and the page where they can change that. */
export interface WritingRefusal {
	text: string
	link?: { to: string; label: string }
}

/** The state of a disk that is running out of space. */
export type DiskState = 'nearly-full' | 'full'
