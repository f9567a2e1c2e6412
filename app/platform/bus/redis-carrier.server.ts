import type { Carrier } from './bus.ts'
import { connectRedis, redis } from './redis.server.ts'

/**
 * The publish and subscribe of Redis.
 * @param site what tells this site from others on the same Redis, whose channels are of no database
 */
export function redisCarrier(url: string, site: string): Carrier {
	const nameOf = (channel: string) => `${site} ${channel}`
	return {
		// What a message of ours may have is bounded elsewhere; Redis takes 512 MB.
		longest: 1024 * 1024,
		send: async (channel, texts) => {
			const pipeline = redis(url).pipeline()
			for (const text of texts) pipeline.publish(nameOf(channel), text)
			for (const [error] of (await pipeline.exec()) ?? []) if (error) throw error
		},
		listen: async (channel, hear, onEnd) => {
			const subscriber = await connectRedis(url)
			subscriber.on('message', (_channel, text) => hear(text))
			try {
				await subscriber.subscribe(nameOf(channel))
			} catch (error) {
				subscriber.disconnect()
				throw error
			}
			subscriber.once('end', onEnd)
			return async () => {
				subscriber.off('end', onEnd)
				subscriber.disconnect()
			}
		},
	}
}
