import { type ReactNode, type RefObject, Suspense, use, useEffect, useState } from 'react'
import { useLocation, useNavigationType, useRevalidator } from 'react-router'
import { EmptyState } from './list-states.tsx'
import { focusHeading, useLastFocused } from './use-focus-kept.ts'

/** A loading response; null when there was none for two minutes. */
export interface Deferred<Data> {
	slow: Promise<Data | null>
}

const SHOW_AFTER_MS = 150

/**
 * For a `clientLoader`: the page opens with its skeleton if the server takes longer than 150 ms, else with its content. A late
 * redirect loads its address as a document. Without a response the page says so in place of its skeleton, and offers to retry.
 * @param wait milliseconds, for a page whose skeleton shows known content
 */
export async function deferIfSlow<Data>(data: Promise<Data>, wait = SHOW_AFTER_MS): Promise<Data | Deferred<Data>> {
	const slow: Deferred<Data> = { slow: data.catch(settleLate) }
	// Nobody may be reading when it fails; `use` reports the error otherwise.
	slow.slow.catch(() => {})
	return Promise.race([data, new Promise<Deferred<Data>>((resolve) => setTimeout(resolve, wait, slow))])
}

interface PendingProps<Data> {
	data: Data | Deferred<Data>
	skeleton: ReactNode
	children: (data: Data) => ReactNode
}

/**
 * Renders `children` with the data of a loader, or the skeleton while {@link deferIfSlow} waits for it. A page that has waited keeps its boundary
 * when more of it is loaded: without it the page would be remounted, and lose the focus and its open parts.
 */
export function Pending<Data extends object>({ data, skeleton, children }: PendingProps<Data>) {
	const { pathname } = useLocation()
	const isSlow = 'slow' in data
	const [hasWaited, setWaited] = useState(isSlow)
	const lastFocused = useLastFocused()
	if (isSlow && !hasWaited) setWaited(true)
	if (!isSlow && !hasWaited) return children(data)
	return (
		<Suspense key={pathname} fallback={skeleton}>
			<Awaited data={isSlow ? data.slow : data} lastFocused={lastFocused}>
				{children}
			</Awaited>
		</Suspense>
	)
}

interface AwaitedProps<Data> {
	data: Data | Promise<Data | null>
	/** The element that last got the focus, perhaps one of the skeleton. */
	lastFocused: RefObject<Element | null>
	children: (data: Data) => ReactNode
}

function Awaited<Data>({ data, lastFocused, children }: AwaitedProps<Data>) {
	const answer = data instanceof Promise ? use(data) : data
	useAnchor()
	useHeadingOfContent(lastFocused, answer === null)
	return answer === null ? <NoAnswer /> : children(answer)
}

/** Scrolls to the anchor of the address once the content is rendered, as the skeleton lacks it. Back restores the scroll position. */
function useAnchor(): void {
	const { hash } = useLocation()
	const isBack = useNavigationType() === 'POP'
	// biome-ignore lint/correctness/useExhaustiveDependencies: once, when the content has come
	useEffect(() => {
		if (hash && !isBack) document.getElementById(hash.slice(1))?.scrollIntoView()
	}, [])
}

/**
 * Focuses the heading once the content is rendered, unless the reader has focused something that stays: the skeleton's heading, or the button
 * that has tried again, had the focus and is gone, or there was none.
 * @param isMissing whether there was no response
 */
function useHeadingOfContent(lastFocused: RefObject<Element | null>, isMissing: boolean): void {
	const { hash } = useLocation()
	// biome-ignore lint/correctness/useExhaustiveDependencies: whenever the content has come
	useEffect(() => {
		const { activeElement, body } = document
		const isLost = activeElement === body && lastFocused.current?.isConnected === false
		if (!hash && (isLost || activeElement?.id === 'main')) focusHeading()
	}, [isMissing])
}

function NoAnswer() {
	const { revalidate } = useRevalidator()
	const action = (
		<button type="button" className="btn btn-outline" onClick={revalidate}>
			Try again
		</button>
	)
	return (
		<div className="col-span-full" role="alert">
			<EmptyState title="Something went wrong!" action={action} />
		</div>
	)
}

function settleLate(error: unknown): Promise<never> | null {
	// As for every lost response, see lib/retry.ts.
	if (error instanceof TypeError) return null
	const address = error instanceof Response ? error.headers.get('Location') : null
	if (!address) throw error
	window.location.assign(address)
	return new Promise(() => {})
}
