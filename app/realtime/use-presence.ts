import { useEffect, useState } from 'react'
import { withLive } from './live.ts'

/*
 * Who is online, of everybody that this page shows. The parts of a page say whom they show; the server is told of them all
 * together, answers with who is online, and then tells of each change.
 */

const shown = new Map<symbol, string[]>()
const known = new Map<string, boolean>()
const listeners = new Set<() => void>()
let unwatch: (() => void) | null = null
let ask = () => {}

/**
 * Who of these members is online, live: as the page knew it, then as the server says once the socket is open, at each
 * change, and again after the connection was lost. For a visitor without a session it stays as the page knew it.
 */
export function usePresence(members: { username: string; online: boolean }[]): (username: string) => boolean {
	const [, redraw] = useState(0)
	const usernames = members.map(({ username }) => username).join(' ')

	useEffect(() => {
		const part = Symbol(usernames)
		const changed = () => redraw((count) => count + 1)
		listeners.add(changed)
		shown.set(part, usernames.split(' ').filter(Boolean))
		watch()
		return () => {
			listeners.delete(changed)
			shown.delete(part)
			watch()
		}
	}, [usernames])

	return (username) => known.get(username) ?? members.find((member) => member.username === username)?.online ?? false
}

/** Keeps the server's list of whom this tab watches in line with what is shown. */
function watch(): void {
	if (shown.size === 0) {
		unwatch?.()
		unwatch = null
		known.clear()
		return
	}
	if (unwatch) {
		ask()
		return
	}
	unwatch = withLive((socket) => {
		ask = () => {
			if (!socket.connected) return
			const usernames = [...new Set([...shown.values()].flat())]
			socket.emit('presence:watch', usernames, (online) => {
				for (const username of usernames) known.set(username, online.includes(username))
				tell()
			})
		}
		const note = ({ username, online }: { username: string; online: boolean }) => {
			known.set(username, online)
			tell()
		}
		socket.on('connect', ask)
		socket.on('presence:changed', note)
		ask()
		return () => {
			socket.off('connect', ask)
			socket.off('presence:changed', note)
			ask = () => {}
		}
	})
}

function tell(): void {
	for (const listener of listeners) listener()
}
