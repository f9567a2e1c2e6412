import { keepTyped, moveTyped } from '~/lib/keep-typed.ts'
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

/** Moves the draft for a peer who was renamed. */
export function moveDraft(me: string, from: string, to: string): void {
	moveTyped(keyOf(me, from), keyOf(me, to))
}

/** The usernames of the peers that drafts are for, in this storage. */
export function draftPeers(me: string, store: Pick<Storage, 'key' | 'length'>): string[] {
	const keys = Array.from({ length: store.length }, (_, index) => store.key(index) ?? '')
	const prefix = keyOf(me, '')
	return keys.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length))
}

/**
 * Removes a draft that was sent, unless another tab has stored another one. It is emptied first, so that other tabs can tell it from one that
 * was cleared, or moved after a rename: those are only removed.
 */
export function forgetDraft(me: string, peer: string, sent: string): void {
	if (readDraft(me, peer) !== sent || !isStorageOf(me)) return
	try {
		localStorage.setItem(keyOf(me, peer), '')
		localStorage.removeItem(keyOf(me, peer))
	} catch {
		// Storage is forbidden.
	}
}

/**
 * Stores the typed text of the field when the conversation or its page is left, and empties the field once another tab has sent the draft
 * that it shows: sent from here, it would arrive twice. @returns call it when the conversation is left
 */
export function keepDraft(field: HTMLTextAreaElement, me: string, peer: string): () => void {
	const name = keyOf(me, peer)
	const hear = ({ key, oldValue, newValue }: StorageEvent) => {
		if (key === name && newValue === '' && oldValue === field.value && isStorageOf(me)) field.value = ''
	}
	addEventListener('storage', hear)
	const store = (text: string) => storeDraft(me, peer, text)
	const end = keepTyped(field, { name, member: me, store, textIn: (stored) => stored })
	return () => {
		end()
		removeEventListener('storage', hear)
	}
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
