import { keepTyped } from '~/lib/keep-typed.ts'
import { isStorageOf } from '~/lib/private-storage.ts'

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

/** Stores a draft in place of an earlier one; '' removes it. Once this browser is another member's, it does nothing. */
export function storeDraft(me: string, peer: string, text: string): void {
	if (!isStorageOf(me)) return
	try {
		if (text === '') localStorage.removeItem(keyOf(me, peer))
		else localStorage.setItem(keyOf(me, peer), text)
	} catch {
		// The storage is full, or forbidden.
	}
}

/** Removes a draft that was sent, unless another tab has stored another one. */
export function forgetDraft(me: string, peer: string, sent: string): void {
	if (readDraft(me, peer) === sent) storeDraft(me, peer, '')
}

/** Stores the typed text of the field when the conversation or its page is left. @returns call it when the conversation is left */
export function keepDraft(field: HTMLTextAreaElement, me: string, peer: string): () => void {
	return keepTyped(field, {
		name: keyOf(me, peer),
		member: me,
		store: (text) => storeDraft(me, peer, text),
		textIn: (stored) => stored,
	})
}

/** A storage of this browser that takes nothing more, as if it were full, once it is another member's. @param me username */
export function storageOf(
	me: string,
	store: Storage,
): Pick<Storage, 'getItem' | 'setItem' | 'removeItem' | 'key' | 'length'> {
	return {
		get length() {
			return store.length
		},
		key: (index) => store.key(index),
		getItem: (key) => store.getItem(key),
		removeItem: (key) => store.removeItem(key),
		setItem: (key, text) => {
			if (!isStorageOf(me)) throw new Error('This browser belongs to another member now.')
			store.setItem(key, text)
		},
	}
}
