import type { ServerEvents } from '~/platform/realtime/events.ts'
import type { Live } from '~/platform/realtime/live.ts'
import type { ChatClient } from './chat-client.ts'
import { askLatest, type Latest, type SocketTransport } from './transport.ts'

/**
 * How often the server is asked while there is no socket, in milliseconds; and by a tab that nobody looks at, or that is no
 * longer its member's.
 */
const POLL_INTERVAL_MS = 5_000
const SLOW_POLL_INTERVAL_MS = 30_000

/** Where the browser keeps that this tab's network let no socket through: its next page does not wait for one. */
const blocked = 'chat-socket-blocked'

/** Whether an earlier page of this tab had to do without a socket. */
export function wasBlocked(): boolean {
	return sessionStorage.getItem(blocked) !== null
}

/** A socket was let through. */
export function forgetBlocked(): void {
	sessionStorage.removeItem(blocked)
}

/** HTTP in place of the socket while it is away: asks what is new, and tells whoever listens in this tab. */
export function makeFallback(socket: Live, client: ChatClient, transport: SocketTransport): Fallback {
	let latest: Latest | null = null
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
		latest = await askLatest()
		// Another member has signed in since, or nobody: nothing is asked or said in their name.
		refused = latest?.me !== client.me
		if (refused) return false
		if (transport.byHttp) {
			announceNews()
			client.poll()
		}
		return true
	}
	const onChange = (on: boolean) => {
		transport.byHttp = on
		client.setConnection(on ? 'polling' : 'away')
		if (!on) return
		sessionStorage.setItem(blocked, '1')
		client.connected()
		announced = ''
		announceNews()
	}
	const often = () => (document.hidden || refused ? SLOW_POLL_INTERVAL_MS : POLL_INTERVAL_MS)
	return new Fallback({ ask, onChange, pace: () => often() * (0.9 + Math.random() / 5) })
}

/** Tells whoever listens in this tab, as the socket would. */
function tell<Name extends keyof ServerEvents>(socket: Live, name: Name, event: Parameters<ServerEvents[Name]>[0]) {
	for (const hear of socket.listeners(name)) (hear as (said: typeof event) => void)(event)
}

interface FallbackParts {
	/** Asks the server what is new. @returns whether it answered */
	ask: () => Promise<boolean>
	/** Milliseconds until it is asked again. */
	pace: () => number
	/** The server answers though the socket is away, or no longer does. */
	onChange: (on: boolean) => void
}

/**
 * What a tab does while its socket is away: it asks the server every few seconds. Where that is answered, the network merely
 * lets no socket through, and the chat goes on by HTTP; where it is not, the tab is offline.
 */
export class Fallback {
	/** Whether the chat goes on by HTTP. */
	on = false
	private readonly parts: FallbackParts
	private timer: ReturnType<typeof setTimeout> | undefined
	/** Counts starts and stops: an answer to a question of an earlier one says nothing. */
	private generation = 0

	constructor(parts: FallbackParts) {
		this.parts = parts
	}

	/** The socket is away. @param wait milliseconds that it is given to come back */
	start(wait: number): void {
		this.stop()
		this.later(wait)
	}

	/** The socket is there. */
	stop(): void {
		this.generation += 1
		clearTimeout(this.timer)
		this.on = false
	}

	/** Somebody looks again: asks at once, where HTTP stands in for the socket. */
	hurry(): void {
		if (!this.on) return
		clearTimeout(this.timer)
		void this.look(this.generation)
	}

	private later(wait: number): void {
		const { generation } = this
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
