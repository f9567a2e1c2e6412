import { CloudOff, RotateCw } from 'lucide'
import { type ReactNode, useEffect, useRef, useSyncExternalStore } from 'react'
import { createRoot } from 'react-dom/client'
import { Icon } from '~/ui/icon.tsx'

interface Connection {
	/** Requests being retried. */
	lost: number
	/** The address to load when the reader agrees, as the site was updated; null if it was not. */
	reload: string | null
}

let connection: Connection = { lost: 0, reload: null }
const listeners = new Set<() => void>()

/** Shows that a request is being retried. @returns ends that */
export function connectionLost(): () => void {
	change({ lost: connection.lost + 1 })
	return () => change({ lost: connection.lost - 1 })
}

/** Says that the site was updated, with a button that loads an address. */
export function offerReload(address: string): void {
	change({ reload: address })
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
	const { lost, reload } = useSyncExternalStore(subscribe, () => connection)
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

// Outside of the page, which may be rendered again. A live region must exist before it says something.
const host = document.createElement('div')
host.setAttribute('role', 'status')
document.body.append(host)
createRoot(host).render(<ConnectionBar />)
