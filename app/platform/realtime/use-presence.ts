import { useEffect, useState } from 'react'
import { withLive } from './live.ts'
import { Watched } from './watched.ts'

const watched = new Watched()
let unwatch: (() => void) | null = null

/**
 * Who of these members is online, live: as the page knew it, then as the server says once the socket is open, at each
 * change, and again after the connection was lost. For a visitor without a session it stays as the page knew it.
 */
export function usePresence(members: { username: string; online: boolean }[]): (username: string) => boolean {
	const [, redraw] = useState(0)
	const usernames = members.map(({ username }) => username).join(' ')

	useEffect(() => {
		const hide = watched.show(usernames.split(' ').filter(Boolean), () => redraw((count) => count + 1))
		unwatch ??= withLive((socket) => watched.listen(socket))
		return () => {
			hide()
			if (watched.isNeeded) return
			unwatch?.()
			unwatch = null
		}
	}, [usernames])

	return (username) =>
		watched.isOnline(username) ?? members.find((member) => member.username === username)?.online ?? false
}
