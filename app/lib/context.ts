import { createContext, type RouterContextProvider } from 'react-router'
import type { SignedIn, Viewer } from './viewer.ts'

/** What one request knows besides its viewer. */
export interface RequestFacts {
	/** Shown on error pages and written to the log. */
	requestId: string
	/** When it came, ISO 8601. */
	now: string
	/** For the inline scripts of this page; the CSP header names it. */
	nonce: string | undefined
	/** The address the request came from, after TRUST_PROXY. */
	ip: string
	/** The theme the reader chose; `system` when none. */
	theme: 'light' | 'dark' | 'system'
	/** The message that a redirect carried here, to be shown as a toast once. */
	flash: Flash | null
	/** What the page turns out to show, as tags of the page cache besides those of its address: loaders add to it. */
	shows: string[]
	/** Whether the reader is logged in, but the database that would say as whom is away. */
	isViewerUnknown: boolean
}

export interface Flash {
	type: 'success' | 'error' | 'plain'
	message: string
	action?: FlashAction
}

/** One thing that can be done from a message: a form that is sent. */
export interface FlashAction {
	label: string
	/** A path of this site, which takes a POST. */
	to: string
	fields: Record<string, string>
}

export const viewerContext = createContext<Viewer>(null)
export const factsContext = createContext<RequestFacts>()

type Context = Readonly<RouterContextProvider>

/** Who is looking at this page. */
export function viewerOf(context: Context): Viewer {
	return context.get(viewerContext)
}

/** What the request knows besides its viewer. */
export function factsOf(context: Context): RequestFacts {
	return context.get(factsContext)
}

export type { SignedIn, Viewer }
