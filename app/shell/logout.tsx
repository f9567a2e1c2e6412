import { useLayoutEffect, useRef } from 'react'
import { claimStorage } from '~/lib/private-storage.ts'
import type { RootData } from '~/lib/root-data.ts'
import { Form } from '~/ui/link.tsx'

let isLeaving = false

/** An item of a menu that ends the session. */
export function LogoutItem() {
	return (
		<Form method="post" action="/logout" onSubmit={leave}>
			<button type="submit" className="menu-item" data-icon="out">
				Logout
			</button>
		</Form>
	)
}

/**
 * What this browser stores of the member goes once the server has ended the session. A logout that fails clears nothing.
 */
function leave(): void {
	isLeaving = true
	const stop = window.__reactRouterDataRouter.subscribe(({ navigation, loaderData }) => {
		if (navigation.state !== 'idle') return
		stop()
		if ((loaderData.root as RootData | undefined)?.viewer) isLeaving = false
	})
}

/**
 * Clears what this browser stores of a member when a page is loaded without a session, after a logout, and when another member
 * signs in. A session that ends while its page is open does not count yet: its member logs in again and goes on typing.
 * @param member username; null for a visitor
 */
export function useOwnStorage(member: string | null): void {
	const wasLoaded = useRef(false)
	// Before any effect of the page: a field looks there for what was typed into it.
	useLayoutEffect(() => {
		const isLoad = !wasLoaded.current
		wasLoaded.current = true
		if (member === null && !isLoad && !isLeaving) return
		isLeaving = false
		void claimStorage(member)
	}, [member])
}
