import { useRef, useState } from 'react'
import { useNavigation, useRevalidator } from 'react-router'
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
	// What was stored after the event.
	useState(() => adoptOwn(viewer?.username ?? ''))
	const latest = useRef({ me: viewer?.username, isBusy: false })
	latest.current = { me: viewer?.username, isBusy: useNavigation().state !== 'idle' }
	useLiveEvent('member:renamed', ({ from, to }) => {
		const { me, isBusy } = latest.current
		if (me === from) {
			keepStorage(to)
			adoptOwn(to)
		}
		move(localStorage, `chat-draft:${me}:${from}`, `chat-draft:${me}:${to}`)
		// The renaming tab gets this event before the response to its form, which brings the new name.
		if (me === from) setTimeout(() => latest.current.me === from && location.reload(), isBusy ? ANSWER_WAIT_MS : 0)
		else if (
			location.pathname === `/messages/${from}` ||
			document.querySelector(`.chat-panel [href="/messages/${from}"]`)
		)
			location.reload()
		else if (document.querySelector(`a[href*="/${from}"]`)) void revalidate()
	})
	return null
}

/** Moves what this browser stores to the new username, before anybody else can have the old one (`lib/private-storage.ts`). */
function keepStorage(username: string): void {
	try {
		localStorage.setItem('storage-owner', username)
	} catch {
		// Storage is forbidden.
	}
}

/** Moves an entry to another key. If storage is full, it stays. */
function move(store: Storage, from: string, to: string): void {
	const text = store.getItem(from)
	if (text === null) return
	try {
		store.setItem(to, text)
		store.removeItem(from)
	} catch {
		// Storage is full.
	}
}

/**
 * Moves the outbox, drafts and chosen pictures that are stored under a former username of this member (`lib/private-storage.ts`). The files
 * of pictures follow when they are next read.
 */
function adoptOwn(me: string): void {
	try {
		for (const store of [localStorage, sessionStorage])
			for (const key of Object.keys(store)) {
				const [, kind, name, rest] = /^(chat-outbox|chat-draft|chat-attached):([^:]+):(.+)$/.exec(key) ?? []
				if (kind && name !== me) move(store, key, `${kind}:${me}:${rest}`)
			}
	} catch {
		// Storage is forbidden.
	}
}
