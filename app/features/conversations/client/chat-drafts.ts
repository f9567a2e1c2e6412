/* Drafts: unsent text, stored by the browser for each conversation of each member. Where the browser stores nothing, drafts end with the tab. */

const keyOf = (me: string, peer: string) => `chat-draft:${me}:${peer}`

/** The draft; '' for none. @param me, peer usernames */
export function readDraft(me: string, peer: string): string {
	try {
		return localStorage.getItem(keyOf(me, peer)) ?? ''
	} catch {
		return ''
	}
}

/** Stores a draft in place of an earlier one; '' removes it. */
export function storeDraft(me: string, peer: string, text: string): void {
	try {
		if (text === '') localStorage.removeItem(keyOf(me, peer))
		else localStorage.setItem(keyOf(me, peer), text)
	} catch {
		// The storage is full, or forbidden.
	}
}
