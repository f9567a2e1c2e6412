import type { ServerEvents } from '~/platform/realtime/events.ts'
import type { Live } from '~/platform/realtime/live.ts'
import type { ChatClient } from './chat-client.ts'
import { Fallback } from './fallback.ts'
import { askLatest, type Latest } from './http-wire.ts'
import type { SocketTransport } from './socket-transport.ts'

/**
 * How often the server is asked while there is no socket, in milliseconds; and by a tab that nobody looks at, or that is no
 * longer its member's.
 */
const pace = 5_000
const slowPace = 30_000

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
	let told = ''
	let refused = false
	const tellNews = () => {
		const news = JSON.stringify(latest)
		if (!latest || news === told) return
		told = news
		tell(socket, 'notifications:changed', { unread: latest.notices })
		tell(socket, 'chat:count', { conversations: latest.unread })
	}
	const ask = async () => {
		latest = await askLatest()
		// Another member has signed in since, or nobody: nothing is asked or said in their name.
		refused = latest?.me !== client.me
		if (refused) return false
		if (transport.byHttp) {
			tellNews()
			client.poll()
		}
		return true
	}
	const onChange = (on: boolean) => {
		transport.byHttp = on
		client.setLine(on ? 'polling' : 'away')
		if (!on) return
		sessionStorage.setItem(blocked, '1')
		client.connected()
		told = ''
		tellNews()
	}
	const often = () => (document.hidden || refused ? slowPace : pace)
	return new Fallback({ ask, onChange, pace: () => often() * (0.9 + Math.random() / 5) })
}

/** Tells whoever listens in this tab, as the socket would. */
function tell<Name extends keyof ServerEvents>(socket: Live, name: Name, event: Parameters<ServerEvents[Name]>[0]) {
	for (const hear of socket.listeners(name)) (hear as (said: typeof event) => void)(event)
}
