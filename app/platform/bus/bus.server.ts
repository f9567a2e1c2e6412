import { config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { Bus, type Listener } from './bus.ts'
import { postgresCarrier } from './postgres-carrier.server.ts'
import { closeRedis, openRedis } from './redis.server.ts'
import { redisCarrier } from './redis-carrier.server.ts'

/** The bus of this process: by Redis when REDIS_URL is set, else by the site's PostgreSQL. */
function bus(): Bus {
	const { REDIS_URL, publicUrl } = config()
	return remember('bus', () => new Bus(REDIS_URL ? redisCarrier(REDIS_URL, publicUrl) : postgresCarrier()))
}

/** Connects to what carries the bus besides the database. @throws Error with one sentence when that cannot be reached */
export async function connectBus(): Promise<void> {
	const { REDIS_URL } = config()
	if (REDIS_URL) await openRedis(REDIS_URL)
}

/** Tells every other process that listens on this channel. @throws Error as {@link Bus.publish} does */
export function publish(channel: string, message: string): Promise<void> {
	return bus().publish(channel, message)
}

/**
 * Listens to the other processes on a channel.
 * @returns what stops listening
 * @throws Error when the first connection fails
 */
export function openBus(channel: string, listener: Listener): Promise<() => Promise<void>> {
	return bus().open(channel, {
		...listener,
		onLost: () => {
			log.warn({ channel }, 'what other processes say may be missed')
			listener.onLost()
		},
	})
}

/** Ends what the bus keeps open besides the database. */
export function closeBus(): void {
	closeRedis()
}
