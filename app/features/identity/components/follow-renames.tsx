import { useRef, useState } from 'react'
import { useNavigation, useRevalidator } from 'react-router'
import { useRootData } from '~/lib/root-data.ts'
import { useLiveEvent } from '~/platform/realtime/use-live-event.ts'

/** What is under way in a tab may take so long before the tab is loaded again, in milliseconds. */
const ANSWER_WAIT_MS = 5_000

/**
 * Has this tab follow a member who has another username. Their own tabs, and those with a conversation with them, are loaded again, as their
 * sockets and their chat go by the name; what was typed in the chat is stored. Any other page that names them is only asked for again.
 */
export function FollowRenames() {
	const { viewer } = useRootData()
	const { revalidate } = useRevalidator()
	// As it is first drawn, before the chat that stands behind it in the page looks for them.
	useState(() => adoptOwn(viewer?.username ?? ''))
	const latest = useRef({ me: viewer?.username, isBusy: false })
	latest.current = { me: viewer?.username, isBusy: useNavigation().state !== 'idle' }
	useLiveEvent('member:renamed', ({ from, to }) => {
		const { me, isBusy } = latest.current
		if (me === from) keepStorage(to)
		move(`chat-draft:${me}:${from}`, `chat-draft:${me}:${to}`)
		// The tab whose form did it is told before the answer to the form, which brings the new name.
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

/** What this browser stores stays with its member, before anything takes the new name for somebody else's (`lib/private-storage.ts`). */
function keepStorage(username: string): void {
	try {
		localStorage.setItem('storage-owner', username)
	} catch {
		// A browser that forbids the store keeps nothing.
	}
}

/** Stores a text under another key. A full or forbidden store leaves it where it is. */
function move(from: string, to: string): void {
	try {
		const text = localStorage.getItem(from)
		if (text === null) return
		localStorage.setItem(to, text)
		localStorage.removeItem(from)
	} catch {
		// As said above.
	}
}

/**
 * What waits to be sent, and drafts, under a name that this member had before: this browser keeps them of nobody else
 * (`lib/private-storage.ts`).
 */
function adoptOwn(me: string): void {
	try {
		for (const key of Object.keys(localStorage)) {
			const [, kind, name, rest] = /^(chat-outbox|chat-draft):([^:]+):(.+)$/.exec(key) ?? []
			if (kind && name !== me) move(key, `${kind}:${me}:${rest}`)
		}
	} catch {
		// A browser that forbids the store keeps nothing.
	}
}
