import { createContext, type RouterContextProvider } from 'react-router'
import type { SignedIn, Viewer } from './viewer.ts'

/** Facts about a request, besides its viewer. */
export interface RequestFacts {
	/** Shown on error pages and written to the log. */
	requestId: string
	/** When it was received, ISO 8601. */
	now: string
	/** For the inline scripts of this page; the CSP header names it. */
	nonce: string | undefined
	/** The client's address, after TRUST_PROXY. */
	ip: string
	/** The theme the reader chose; `system` when none. */
	theme: 'light' | 'dark' | 'system'
	/** The message of a redirect, shown once as a toast. */
	flash: Flash | null
	/** Cache tags of what the page shows, besides those of its address; loaders add to it. */
	shows: string[]
	/** Whether the reader is logged in but unknown, as the database is unavailable. */
	isViewerUnknown: boolean
}

export interface Flash {
	type: 'success' | 'error' | 'plain'
	message: string
	action?: FlashAction
}

/** An action offered by a message: a form to send. */
export interface FlashAction {
	label: string
	/** A path of this site that accepts a POST. */
	to: string
	fields: Record<string, string>
}

export const viewerContext = createContext<Viewer>(null)
export const factsContext = createContext<RequestFacts>()

type Context = Readonly<RouterContextProvider>

/** Who requested this page. */
export function viewerOf(context: Context): Viewer {
	return context.get(viewerContext)
}

/** Facts about the request, besides its viewer. */
export function factsOf(context: Context): RequestFacts {
	return context.get(factsContext)
}

export type { SignedIn, Viewer }
