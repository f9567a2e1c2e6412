import { useRevalidator } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import { useLiveEvent } from '~/platform/realtime/use-live-event.ts'

/**
 * Has this tab follow a member who has another username. Their own tabs, and those with a conversation with them, are loaded anew, as their
 * sockets and their chat go by the name; what was typed in the chat is stored. Any other page that names them is only asked for again.
 */
export function FollowRenames() {
	const { viewer } = useRootData()
	const { revalidate } = useRevalidator()
	useLiveEvent('member:renamed', ({ from, to }) => {
		const me = viewer?.username
		moveDraft(`chat-draft:${me}:${from}`, `chat-draft:${me}:${to}`)
		if (
			me === from ||
			location.pathname === `/messages/${from}` ||
			document.querySelector(`.chat-panel [href="/messages/${from}"]`)
		)
			location.reload()
		else if (document.querySelector(`a[href*="/${from}"]`)) void revalidate()
	})
	return null
}

/** What was typed to a member and not sent stands in the conversation with them, whatever they are called. */
function moveDraft(from: string, to: string): void {
	try {
		const text = localStorage.getItem(from)
		if (text === null) return
		localStorage.setItem(to, text)
		localStorage.removeItem(from)
	} catch {
		// Full, or forbidden.
	}
}
