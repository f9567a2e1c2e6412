import { useLayoutEffect, useRef } from 'react'
import { claimStorage } from '~/lib/private-storage.ts'
import type { RootData } from '~/lib/root-data.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { Form } from '~/ui/link.tsx'

let isLeaving = false

/** A menu item that ends the session. */
export function LogoutItem() {
	return (
		<Form method="post" action="/logout" onSubmit={leave}>
			<button type="submit" className="menu-item" data-icon="out">
				Logout
			</button>
		</Form>
	)
}

/** Clears this browser's storage once the server has ended the session. A failed logout clears nothing. */
function leave(): void {
	isLeaving = true
	const stop = window.__reactRouterDataRouter.subscribe(({ navigation, loaderData }) => {
		if (navigation.state !== 'idle') return
		stop()
		if ((loaderData.root as RootData | undefined)?.viewer) isLeaving = false
	})
}

/**
 * Clears a member's data in this browser when a page loads without a session, after a logout, and when another member logs in. A
 * session that ends while its page is open does not count yet: its member logs in again and continues.
 * @param member null for a visitor, undefined while that is unknown, as during an outage
 * @param formerNames the member's former usernames
 */
export function useStorageCleanup(member: Viewer | undefined, formerNames?: readonly string[]): void {
	const wasLoaded = useRef(false)
	const { id, username } = member ?? {}
	// Before any effect of the page, as fields look there for typed text.
	// biome-ignore lint/correctness/useExhaustiveDependencies: each load of data brings another object for the same member
	useLayoutEffect(() => {
		if (member === undefined) return
		const isLoad = !wasLoaded.current
		wasLoaded.current = true
		if (member === null && !isLoad && !isLeaving) return
		isLeaving = false
		void claimStorage(member, formerNames)
	}, [member === undefined, id, username])
}
