import { useEffect, useState } from 'react'
import { MAX_WATCHED } from './events.ts'
import { type Live, withLive } from './live.ts'

/**
 * Who is online, of everybody that this tab shows. The parts of a page say whom they show; the server is asked about them
 * all together, answers with who is online, and then tells of each change.
 */
export class Watched {
	private readonly shown = new Map<symbol, readonly string[]>()
	private readonly known = new Map<string, boolean>()
	private readonly listeners = new Set<() => void>()
	/** Who changed since the last question: its answer may be older than that. */
	private readonly changed = new Set<string>()
	private socket: Live | null = null
	private asking = false
	/** Which question was the last; answers to earlier ones are about another page. */
	private question = 0

	/** Whether a member is online; undefined as long as the server has said nothing of them. */
	isOnline(username: string): boolean | undefined {
		return this.known.get(username)
	}

	/** Whether anybody is shown. */
	get isNeeded(): boolean {
		return this.shown.size > 0
	}

	/** A part of the page shows these members, and wants to hear when one of them changes. @returns takes that back */
	show(usernames: readonly string[], changed: () => void): () => void {
		const part = Symbol('part of a page')
		this.shown.set(part, usernames)
		this.listeners.add(changed)
		this.ask()
		return () => {
			this.shown.delete(part)
			this.listeners.delete(changed)
			if (this.isNeeded) return this.ask()
			this.known.clear()
			this.question += 1
		}
	}

	/** Asks this socket from now on, and again each time it comes back. @returns takes that back */
	listen(socket: Live): () => void {
		const ask = () => this.ask()
		const note = ({ username, online }: { username: string; online: boolean }) => {
			this.changed.add(username)
			this.learn([[username, online]])
		}
		this.socket = socket
		socket.on('connect', ask)
		socket.on('presence:changed', note)
		this.ask()
		return () => {
			socket.off('connect', ask)
			socket.off('presence:changed', note)
			this.socket = null
		}
	}

	/** One question for all parts that come and go in the same moment. */
	private ask(): void {
		if (this.asking) return
		this.asking = true
		queueMicrotask(() => {
			this.asking = false
			if (!this.socket?.connected || !this.isNeeded) return
			// Those shown last are those a list has grown by: nearer to what is being read than its head.
			const usernames = [...new Set([...this.shown.values()].flat())].slice(-MAX_WATCHED)
			this.changed.clear()
			this.question += 1
			const question = this.question
			this.socket.emit('presence:watch', usernames, (online) => {
				if (question !== this.question) return
				const unchanged = usernames.filter((username) => !this.changed.has(username))
				this.learn(unchanged.map((username) => [username, online.includes(username)]))
			})
		})
	}

	private learn(states: [username: string, online: boolean][]): void {
		for (const [username, online] of states) this.known.set(username, online)
		for (const changed of this.listeners) changed()
	}
}

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
