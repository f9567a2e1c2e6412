import { useRouteLoaderData } from 'react-router'
import type { Flash } from './context.ts'
import type { Viewer } from './viewer.ts'

/** What every page knows. */
export interface RootData {
	viewer: Viewer
	/** Whether somebody is logged in of whom it cannot be known right now who: neither they nor a visitor is shown. */
	isViewerUnknown: boolean
	/** How the disk stands, told to staff alone; null when there is room, and for everybody else. */
	disk: DiskState | null
	/** How many notifications the viewer has not read. */
	unread: number
	/** In how many conversations something is unread for the viewer. */
	conversations: number
	/** How many cases wait for a moderator, at most 100; 0 for other members. */
	openCases: number
	/** What stands above every page for this viewer. */
	announcement: AnnouncementView | null
	siteName: string
	/** The address of the stylesheet with the site's own logo and accent; missing where there are none. */
	style?: string
	/** What the form of a report shows beyond what comes with the software: the site's own reasons, and that it has terms. */
	reporting?: { reasons?: { value: string; label: string; hint: string }[]; hasTerms: boolean }
	/** Tags that this viewer does not set on a query; missing where there are none. */
	reservedTags?: readonly string[]
	/** Credited in the footer: whom the settings name, else the project; null when nothing is known. `url` may be empty. */
	author: { name: string; url: string } | null
	theme: 'light' | 'dark' | 'system'
	/** ISO 8601. Relative times are counted from here until the browser has taken over, so that both render the same. */
	now: string
	/** The message that a redirect carried here. */
	flash: Flash | null
	/** Path and query this answer was made for. */
	path: string
	/** The address people type, without a slash at the end: for canonical links. */
	publicUrl: string
	/** Names this answer in the log. */
	requestId: string
}

/** A page must be drawable when nothing could be loaded: the error page is such a page. */
export const nothingKnown: RootData = {
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

/** The root loader's data, from anywhere in a page; harmless defaults when the root loader failed. */
export function useRootData(): RootData {
	return useRouteLoaderData<RootData>('root') ?? nothingKnown
}

/** What the site announces. `link` may lead to another site; whoever may close it sends its `id`. */
export interface AnnouncementView {
	id: string
	text: string
	link: { url: string; text: string } | null
	isClosable: boolean
}

/** How the disk of the site stands when it does not stand well. */
export type DiskState = 'nearly-full' | 'full'
