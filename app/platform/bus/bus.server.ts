import { config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import type { BusTransport } from './bus.ts'
import { Bus, type Listener } from './bus.ts'
import { postgresTransport } from './postgres-transport.server.ts'
import {
	closeRedis,
	connectRedis,
	isReplicaError,
	openRedis,
	redis,
	refuseReplica,
	watchRedis,
} from './redis.server.ts'

/** The bus of this process: by Redis when REDIS_URL is set, else by the site's PostgreSQL. */
function bus(): Bus {
	const { REDIS_URL, publicUrl } = config()
	return remember('bus', () => new Bus(REDIS_URL ? redisTransport(REDIS_URL, publicUrl) : postgresTransport()))
}

/** Connects to Redis if the bus uses it. @throws Error with one sentence when Redis cannot be reached */
export async function connectBus(): Promise<void> {
	const { REDIS_URL, publicUrl } = config()
	if (REDIS_URL) await openRedis(REDIS_URL, publicUrl)
}

/** Publishes a message to every other process that subscribes to this channel. @throws Error as {@link Bus.publish} does */
export function publish(channel: string, message: string): Promise<void> {
	return bus().publish(channel, message)
}

/**
 * Subscribes to what other processes publish on a channel.
 * @returns unsubscribes
 * @throws Error when the first connection fails
 */
export function openBus(channel: string, listener: Listener): Promise<() => Promise<void>> {
	return bus().open(channel, {
		...listener,
		onLost: () => {
			log.warn({ channel }, 'the bus connection is lost; messages of other processes may be missed')
			listener.onLost()
		},
	})
}

/** Closes the bus's connection to Redis, if there is one. */
export function closeBus(): void {
	closeRedis()
}

/**
 * Publish/subscribe of Redis.
 * @param site the prefix that separates this site's channels from those of other sites, as Redis channels do not belong to a database
 */
export function redisTransport(url: string, site: string): BusTransport {
	const nameOf = (channel: string) => `${site} ${channel}`
	return {
		// Far below the 512 MB that Redis allows.
		longest: 1024 * 1024,
		send: async (channel, texts) => {
			const pipeline = (await redis(url)).pipeline()
			for (const text of texts) pipeline.publish(nameOf(channel), text)
			refuseReplica(pipeline, site)
			const results = (await pipeline.exec()) ?? []
			for (const [index, [error]] of results.entries())
				if (error && (index < texts.length || isReplicaError(error))) throw error
		},
		listen: async (channel, hear, onEnd) => {
			const subscriber = await connectRedis(url, site)
			subscriber.on('message', (_channel, text) => hear(text))
			try {
				await subscriber.subscribe(nameOf(channel))
			} catch (error) {
				subscriber.disconnect()
				throw error
			}
			const stopWatching = watchRedis(subscriber, url, site)
			subscriber.once('end', stopWatching).once('end', onEnd)
			return async () => {
				subscriber.off('end', onEnd)
				subscriber.disconnect()
			}
		},
	}
}
