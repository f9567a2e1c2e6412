import { type LiveSocket, tell } from '~/platform/realtime/live.ts'
import type { ChatClient } from './chat-client.ts'
import { fetchLatestCounts, type LatestCounts, type SocketTransport } from './transport.ts'

/** Milliseconds between two polls while there is no socket; and for a tab in the background, or one whose member has logged out. */
const POLL_INTERVAL_MS = 5_000
const SLOW_POLL_INTERVAL_MS = 30_000

/** The sessionStorage key that remembers that the network blocks sockets: the tab's next page then polls at once. */
const blocked = 'chat-socket-blocked'

/** Whether an earlier page of this tab had no socket. */
export function wereSocketsBlocked(): boolean {
	return sessionStorage.getItem(blocked) !== null
}

/** Call it when a socket was opened. */
export function clearSocketsBlocked(): void {
	sessionStorage.removeItem(blocked)
}

/** Replaces the socket by HTTP polling while it is disconnected, and emits the same events in this tab. */
export function makeFallback(socket: LiveSocket, client: ChatClient, transport: SocketTransport): Fallback {
	let latest: LatestCounts | null = null
	let announced = ''
	let refused = false
	const announceNews = () => {
		const news = JSON.stringify(latest)
		if (!latest || news === announced) return
		announced = news
		tell(socket, 'notifications:changed', { unread: latest.notifications })
		tell(socket, 'chat:count', { conversations: latest.unread })
	}
	const ask = async () => {
		latest = await fetchLatestCounts()
		// Another member has logged in since, or nobody is logged in: nothing is requested or sent in their name.
		refused = latest?.me !== client.me
		if (refused) client.setConnection('ended')
		if (refused) return false
		if (transport.byHttp) {
			announceNews()
			client.poll()
		}
		return true
	}
	const onChange = (on: boolean) => {
		transport.byHttp = on
		if (on || !refused) client.setConnection(on ? 'polling' : 'away')
		if (!on) return
		sessionStorage.setItem(blocked, '1')
		client.connected()
		announced = ''
		announceNews()
	}
	const often = () => (document.hidden || refused ? SLOW_POLL_INTERVAL_MS : POLL_INTERVAL_MS)
	return new Fallback({ ask, onChange, pace: () => often() * (0.9 + Math.random() / 5) })
}

interface FallbackParts {
	/** Polls the server. @returns whether it answered */
	ask: () => Promise<boolean>
	/** Milliseconds until the next poll. */
	pace: () => number
	/** Called when HTTP begins or stops to replace the socket. */
	onChange: (on: boolean) => void
}

/**
 * Polls the server every few seconds while the socket is disconnected. If the server answers, the network only blocks sockets, and
 * the chat continues by HTTP; if not, the tab is offline.
 */
export class Fallback {
	/** Whether the chat continues by HTTP. */
	on = false
	private readonly parts: FallbackParts
	private timer: ReturnType<typeof setTimeout> | undefined
	/** Incremented by each start and stop, so that answers to earlier polls are ignored. */
	private generation = 0

	constructor(parts: FallbackParts) {
		this.parts = parts
	}

	/** The socket is disconnected. @param wait milliseconds for it to reconnect */
	start(wait: number): void {
		this.stop()
		this.later(wait)
	}

	/** The socket is connected. */
	stop(): void {
		this.generation += 1
		clearTimeout(this.timer)
		this.on = false
	}

	/** The tab is visible again: polls at once, where HTTP replaces the socket. */
	hurry(): void {
		if (!this.on) return
		clearTimeout(this.timer)
		void this.look(this.generation)
	}

	private later(wait: number): void {
		const { generation } = this
		// Another poll may have ended meanwhile.
		clearTimeout(this.timer)
		this.timer = setTimeout(() => void this.look(generation), wait)
	}

	private async look(generation: number): Promise<void> {
		const answered = await this.parts.ask().catch(() => false)
		if (generation !== this.generation) return
		if (answered !== this.on) {
			this.on = answered
			this.parts.onChange(answered)
		}
		this.later(this.parts.pace())
	}
}
