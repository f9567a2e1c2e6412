import { CloudOff, RotateCw } from 'lucide'
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { OWNER, storageOwner } from '~/lib/private-storage.ts'
import { viewerOfPage } from '~/lib/root-data.ts'
import { Icon } from '~/ui/icon.tsx'

interface Connection {
	/** Requests being retried. */
	lost: number
	/** The address to load when the reader agrees, as the site was updated; null if it was not. */
	reload: string | null
	/** The member who has logged in from another tab since this page was loaded for a different one; null for none. */
	other: string | null
}

let connection: Connection = { lost: 0, reload: null, other: null }
const listeners = new Set<() => void>()

/** Shows that a request is being retried. @returns ends that */
export function showConnectionLost(): () => void {
	change({ lost: connection.lost + 1 })
	return () => change({ lost: connection.lost - 1 })
}

/** Says that the site was updated, with a button that loads an address. */
export function offerReload(address: string): void {
	change({ reload: address })
}

/** The browser's session may have become another member's: what this tab sends is then refused. */
function noteOwner(): void {
	const viewer = viewerOfPage()
	const owner = readOwner()
	const other = viewer && owner !== viewer.username ? owner : null
	if (other !== connection.other) change({ other })
}

function readOwner(): string | null {
	try {
		return storageOwner()
	} catch {
		// A browser that forbids storage provides no name.
		return null
	}
}

function change(next: Partial<Connection>): void {
	connection = { ...connection, ...next }
	for (const listener of listeners) listener()
}

function subscribe(listener: () => void): () => void {
	listeners.add(listener)
	return () => listeners.delete(listener)
}

/** Overlays the page, dialogs included, without moving anything. Clicks go through it. */
function ConnectionBar() {
	const { lost, reload, other } = useSyncExternalStore(subscribe, () => connection)
	if (other !== null)
		return (
			<Bar key="other">
				<span>This browser is logged in as @{other} now. What you typed is still here: copy it, then reload.</span>
				<button type="button" className="btn btn-sm btn-outline" onClick={() => window.location.reload()}>
					<Icon of={RotateCw} className="icon-sm" /> Reload
				</button>
			</Bar>
		)
	if (reload !== null)
		return (
			<Bar key="reload">
				<span>This site was updated. What you typed is still here: save or copy it, then reload.</span>
				<a className="btn btn-sm btn-outline" href={reload}>
					<Icon of={RotateCw} className="icon-sm" /> Reload
				</a>
			</Bar>
		)
	if (lost === 0) return null
	return (
		<Bar key="lost">
			<Icon of={CloudOff} className="icon-sm" /> No connection. Trying again…
		</Bar>
	)
}

function Bar({ children }: { children: ReactNode }) {
	const bar = useRef<HTMLDivElement>(null)
	const show = () => {
		if (bar.current?.isConnected && !bar.current.matches(':popover-open')) bar.current.showPopover()
	}
	useEffect(show, [])
	return (
		// Every popover is closed when the page changes.
		<div ref={bar} className="connection-bar" popover="manual" onToggle={show}>
			{children}
		</div>
	)
}

window.addEventListener('storage', ({ key }) => key === OWNER && noteOwner())
window.__reactRouterDataRouter.subscribe(() => connection.other !== null && noteOwner())
noteOwner()

// Outside of the page, which may be rendered again. A live region must exist before it says something.
const host = document.createElement('div')
host.setAttribute('role', 'status')
document.body.append(host)
createRoot(host).render(<ConnectionBar />)
