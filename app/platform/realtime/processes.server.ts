import { ClusterAdapterWithHeartbeat, type ClusterMessage, type ClusterResponse, MessageType } from 'socket.io-adapter'
import { log } from '~/lib/log.server.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import { io } from './io.server.ts'

/** The channel on which processes forward what they send to tabs. */
const channel = 'devquad_sockets'

/** Milliseconds within which tabs reconnect, so that not all do so at once. */
const SPREAD_MS = 5_000

/** Connects the Socket.IO servers of all processes over the bus, by Socket.IO's cluster protocol. */
class BusAdapter extends ClusterAdapterWithHeartbeat {
	constructor(namespace: unknown) {
		super(namespace, {})
	}

	/** Does not wait: tabs of this process need not wait for others, and the bus keeps the order. */
	protected override async doPublish(message: ClusterMessage): Promise<string> {
		say(message)
		return ''
	}

	protected override async doPublishResponse(_to: string, response: ClusterResponse): Promise<void> {
		say(response)
	}

	hear(text: string, neighbours: OtherProcesses): void {
		const message: ClusterMessage | ClusterResponse = JSON.parse(text)
		if (message.type === MessageType.ADAPTER_CLOSE) neighbours.left(message.uid)
		else neighbours.heard(message.uid, performance.now())
		this.onMessage(message as ClusterMessage)
	}
}

/**
 * From now on, events reach the tabs of all processes.
 * @returns ends that
 * @throws Error when the bus cannot be listened to
 */
export async function joinProcesses(): Promise<() => Promise<void>> {
	io.adapter(BusAdapter)
	const neighbours = new OtherProcesses(performance.now())
	const leave = await openBus(channel, {
		onMessage: (text) => (io.sockets.adapter as BusAdapter).hear(text, neighbours),
		onLost: () => {},
		onBack: () => reconnectTabs(),
	})
	const timer = setInterval(() => {
		// Its last writes may never have been announced.
		if (neighbours.hasOneDied(performance.now())) reconnectTabs()
	}, 1_000).unref()
	return async () => {
		clearInterval(timer)
		await leave()
	}
}

/**
 * Disconnects tabs that may have missed something: a tab that reconnects asks for all it needs.
 * @param within milliseconds over which the disconnects are spread
 */
export function reconnectTabs(within = SPREAD_MS): void {
	for (const socket of io.sockets.sockets.values())
		setTimeout(() => socket.conn.close(), Math.random() * within).unref()
}

function say(message: ClusterMessage | ClusterResponse): void {
	publish(channel, JSON.stringify(message)).catch((error) => {
		log.warn({ err: error }, 'events for tabs of other processes could not be published')
	})
}

/** Milliseconds of silence after which a process is dead; each says something every 5 s. */
export const PROCESS_SILENCE_MS = 15_000

/**
 * The other processes of the site. A killed process may have stored something without announcing it: when one dies, the others make
 * their tabs ask again.
 */
export class OtherProcesses {
	private readonly heardAt = new Map<string, number>()
	private checkedAt: number

	/** @param now milliseconds of a monotonic clock, here and below */
	constructor(now: number) {
		this.checkedAt = now
	}

	heard(id: string, now: number): void {
		this.heardAt.set(id, now)
	}

	/** An orderly stop: the process has announced everything. */
	left(id: string): void {
		this.heardAt.delete(id)
	}

	/** Call it far more often than processes fall silent. @returns whether one has died since the last call */
	hasOneDied(now: number): boolean {
		const paused = now - this.checkedAt > PROCESS_SILENCE_MS / 2
		this.checkedAt = now
		const silent = [...this.heardAt].filter(([, at]) => now - at > PROCESS_SILENCE_MS)
		// This process was paused: what the others sent meanwhile is read after this.
		if (paused) for (const [id] of silent) this.heardAt.set(id, now)
		else for (const [id] of silent) this.heardAt.delete(id)
		return !paused && silent.length > 0
	}
}
