import { ClusterAdapterWithHeartbeat, type ClusterMessage, type ClusterResponse, MessageType } from 'socket.io-adapter'
import { log } from '~/lib/log.server.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import { io } from './io.server.ts'

/** The channel on which processes pass on what they say to tabs. */
const channel = 'devquad_sockets'

/** Tabs come back within this many milliseconds, not all at once. */
const spread = 5_000

/** Passes on, over the bus, what one process says to the tabs of all. What it is and what it means is Socket.IO's business. */
class BusAdapter extends ClusterAdapterWithHeartbeat {
	constructor(namespace: unknown) {
		super(namespace, {})
	}

	/** Returns at once: a tab of this process need not wait until the others are told, and the bus keeps the order. */
	protected override async doPublish(message: ClusterMessage): Promise<string> {
		say(message)
		return ''
	}

	protected override async doPublishResponse(_to: string, response: ClusterResponse): Promise<void> {
		say(response)
	}

	hear(text: string, neighbours: Neighbours): void {
		const message: ClusterMessage | ClusterResponse = JSON.parse(text)
		if (message.type === MessageType.ADAPTER_CLOSE) neighbours.left(message.uid)
		else neighbours.heard(message.uid, performance.now())
		this.onMessage(message as ClusterMessage)
	}
}

/**
 * From now on what this process says to tabs reaches those of every other one, and the other way round.
 * @returns what ends that
 * @throws Error when the bus cannot be listened to
 */
export async function joinProcesses(): Promise<() => Promise<void>> {
	io.adapter(BusAdapter)
	const neighbours = new Neighbours(performance.now())
	const leave = await openBus(channel, {
		onMessage: (text) => (io.sockets.adapter as BusAdapter).hear(text, neighbours),
		onLost: () => {},
		onBack: () => haveTabsAskAgain(),
	})
	const timer = setInterval(() => {
		// What it stored last it may have told nobody.
		if (neighbours.hasOneDied(performance.now())) haveTabsAskAgain()
	}, 1_000).unref()
	return async () => {
		clearInterval(timer)
		await leave()
	}
}

/**
 * Tabs that may have missed something are cut off: a tab that comes back asks for all it needs to know.
 * @param within milliseconds, at random moments of which the tabs are told
 */
export function haveTabsAskAgain(within = spread): void {
	for (const socket of io.sockets.sockets.values())
		setTimeout(() => socket.conn.close(), Math.random() * within).unref()
}

function say(message: ClusterMessage | ClusterResponse): void {
	publish(channel, JSON.stringify(message)).catch((error) => {
		log.warn({ err: error }, 'other processes could not be told what to say to their tabs')
	})
}

/** A process says something every 5 s at least; one that has been silent for so many milliseconds is dead. */
export const silence = 15_000

/**
 * The other processes of the site, as far as they are heard of. One that was killed may have stored something and told nobody:
 * whoever hears of its end has its own tabs ask.
 */
export class Neighbours {
	private readonly heardAt = new Map<string, number>()
	private checkedAt: number

	/** @param now milliseconds of any clock that is never set back; so everywhere below */
	constructor(now: number) {
		this.checkedAt = now
	}

	heard(id: string, now: number): void {
		this.heardAt.set(id, now)
	}

	/** It stops in order, and has told everything. */
	left(id: string): void {
		this.heardAt.delete(id)
	}

	/** To be called far more often than processes fall silent. @returns whether one has died since the last time */
	hasOneDied(now: number): boolean {
		const paused = now - this.checkedAt > silence / 2
		this.checkedAt = now
		const silent = [...this.heardAt].filter(([, at]) => now - at > silence)
		// What stood still for so long was this process: what the others said meanwhile is read after this.
		if (paused) for (const [id] of silent) this.heardAt.set(id, now)
		else for (const [id] of silent) this.heardAt.delete(id)
		return !paused && silent.length > 0
	}
}
