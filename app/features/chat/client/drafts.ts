/*
 * What was typed to a member and not sent, kept by the browser for each conversation of each member. A browser that keeps
 * nothing loses drafts with the tab, and nothing else.
 */

const keyOf = (me: string, peer: string) => `chat-draft:${me}:${peer}`

/** '' when there is none. */
export function readDraft(me: string, peer: string): string {
	try {
		return localStorage.getItem(keyOf(me, peer)) ?? ''
	} catch {
		return ''
	}
}

export function keepDraft(me: string, peer: string, text: string): void {
	try {
		if (text === '') localStorage.removeItem(keyOf(me, peer))
		else localStorage.setItem(keyOf(me, peer), text)
	} catch {
		// Full, or forbidden.
	}
}
