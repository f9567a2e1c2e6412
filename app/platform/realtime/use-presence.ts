import { useEffect, useState } from 'react'
import { MAX_WATCHED } from './events.ts'
import { type LiveSocket, withLive } from './live.ts'

/**
 * The presence of all members that this tab shows. Components register whom they show; the server is asked about all of them
 * together, answers with who is online, and then sends changes.
 */
export class WatchedPresence {
	private readonly shown = new Map<symbol, readonly string[]>()
	private readonly known = new Map<string, boolean>()
	private readonly listeners = new Set<() => void>()
	/** Members who changed since the last request: its answer may be older. */
	private readonly changed = new Set<string>()
	private socket: LiveSocket | null = null
	private asking = false
	/** The id of the last request; answers to earlier ones are ignored. */
	private question = 0

	/** Whether a member is online; undefined while the server has not said. */
	isOnline(username: string): boolean | undefined {
		return this.known.get(username)
	}

	/** Whether anybody is shown. */
	get isNeeded(): boolean {
		return this.shown.size > 0
	}

	/** Registers members that a component shows. @param changed called when one of them changes @returns unregisters */
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

	/** Asks this socket, now and after each reconnection. @returns stops */
	listen(socket: LiveSocket): () => void {
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

	/** One request for all components that mount and unmount in the same tick. */
	private ask(): void {
		if (this.asking) return
		this.asking = true
		queueMicrotask(() => {
			this.asking = false
			if (!this.socket?.connected || !this.isNeeded) return
			// The last registered first: the end of a growing list is nearer to what is being read.
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

const watched = new WatchedPresence()
let unwatch: (() => void) | null = null

/**
 * Which of these members are online, live: first as the page was rendered, then as the server says once the socket is open, and
 * after each reconnection. Visitors see what the page was rendered with.
 */
export function usePresence(members: { username: string; online: boolean }[]): (username: string) => boolean {
	const [, redraw] = useState(0)
	// Sorted, as a list of conversations is reordered by each message.
	const usernames = members.map(({ username }) => username)
	const shown = [...usernames].sort().join(' ')

	// biome-ignore lint/correctness/useExhaustiveDependencies: another order of the same members is no reason to ask
	useEffect(() => {
		const hide = watched.show(usernames, () => redraw((count) => count + 1))
		unwatch ??= withLive((socket) => watched.listen(socket))
		return () => {
			hide()
			if (watched.isNeeded) return
			unwatch?.()
			unwatch = null
		}
	}, [shown])

	return (username) =>
		watched.isOnline(username) ?? members.find((member) => member.username === username)?.online ?? false
}
