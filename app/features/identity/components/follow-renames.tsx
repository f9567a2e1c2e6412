import { useRef } from 'react'
import { useNavigation, useRevalidator } from 'react-router'
import { moveTyped } from '~/lib/keep-typed.ts'
import { renameOwner } from '~/lib/private-storage.ts'
import { useRootData } from '~/lib/root-data.ts'
import { useLiveEvent } from '~/platform/realtime/use-live-event.ts'

/** How long a pending request of a tab may delay its reload, in milliseconds. */
const ANSWER_WAIT_MS = 5_000

/**
 * Reacts to a member's rename. The member's own tabs, and those with a conversation with them, are reloaded, as sockets and chat are keyed
 * by username; what was typed in the chat is stored. Other pages that show the member are revalidated.
 */
export function FollowRenames() {
	const { viewer } = useRootData()
	const { revalidate } = useRevalidator()
	const latest = useRef({ me: viewer?.username, isBusy: false })
	latest.current = { me: viewer?.username, isBusy: useNavigation().state !== 'idle' }
	useLiveEvent('member:renamed', ({ from, to }) => {
		const { me, isBusy } = latest.current
		// Before anybody else can have the old name.
		if (me === from) renameOwner(from, to)
		const moveDraft = () => moveTyped(`chat-draft:${me}:${from}`, `chat-draft:${me}:${to}`)
		moveDraft()
		// The renaming tab gets this event before the response to its form, which brings the new name.
		if (me === from) setTimeout(() => latest.current.me === from && location.reload(), isBusy ? ANSWER_WAIT_MS : 0)
		else if (
			location.pathname === `/messages/${from}` ||
			document.querySelector(`.chat-panel [href="/messages/${from}"]`)
		) {
			// The composer stores the draft once more when it is unmounted.
			addEventListener('pagehide', moveDraft)
			location.reload()
		} else if (document.querySelector(`a[href*="/${from}"]`)) void revalidate()
	})
	return null
}
