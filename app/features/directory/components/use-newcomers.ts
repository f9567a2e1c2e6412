import { useEffect, useEffectEvent, useState } from 'react'
import { useRevalidator } from 'react-router'
import type { ServerEvents } from '~/platform/realtime/events.ts'
import { withLive } from '~/platform/realtime/live.ts'

declare module '~/platform/realtime/events.ts' {
	interface ClientEvents {
		/** Who joined after this member, the newest that the page knows of: between its loading and this moment. */
		'members:since': (username: string, answer: (usernames: string[]) => void) => void
	}
}

/** Down to here, in pixels, the reader is still at the head of the list: a new card there moves nothing that is read. */
const headOfList = 80
/** Several who join at once are loaded once, and not by all readers in the same moment: after so many milliseconds. */
const gather = { least: 300, most: 1_500 }

/**
 * How many members joined since the list was loaded, when it is the list that they belong at the head of. They are shown
 * by themselves to who looks at its head, and wait for everybody else, so that nothing moves under the eyes.
 * @param newest who joined last of those shown, when this is the list of everybody, newest first, from its first page; else null
 * @param grown whether the reader has loaded more pages, which showing the newcomers would fold again
 */
export function useNewcomers(newest: string | null, grown: boolean): { waiting: number; show: () => void } {
	const [waiting, setWaiting] = useState(0)
	const [isDue, setDue] = useState(false)
	const { revalidate } = useRevalidator()

	const hear = useEffectEvent((joined: number) => {
		if (grown || window.scrollY >= headOfList) setWaiting((count) => count + joined)
		else setDue(true)
	})
	useEffect(() => (newest === null ? undefined : listen(newest, hear)), [newest])

	useEffect(() => {
		if (!isDue) return
		const load = () => {
			setDue(false)
			setWaiting(0)
			void revalidate()
		}
		const timer = setTimeout(load, gather.least + Math.random() * (gather.most - gather.least))
		return () => clearTimeout(timer)
	}, [isDue, revalidate])

	return {
		waiting,
		show: () => {
			setWaiting(0)
			window.scrollTo({ top: 0 })
			void revalidate()
		},
	}
}

/**
 * Hears of each newcomer, and of those who joined between the page and its socket or while the connection was lost.
 * @returns takes that back
 */
function listen(newest: string, hear: (joined: number) => void): () => void {
	return withLive((socket) => {
		const known = new Set<string>()
		let left = false
		const tell = (usernames: string[]) => {
			const unheard = usernames.filter((username) => !known.has(username))
			for (const username of unheard) known.add(username)
			if (unheard.length > 0 && !left) hear(unheard.length)
		}
		const catchUp = () => socket.emit('members:since', newest, tell)
		const joined: ServerEvents['member:joined'] = ({ username }) => tell([username])
		socket.on('connect', catchUp)
		socket.on('member:joined', joined)
		if (socket.connected) catchUp()
		return () => {
			left = true
			socket.off('connect', catchUp)
			socket.off('member:joined', joined)
		}
	})
}
