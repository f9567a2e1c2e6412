import { Redis, type RedisOptions } from 'ioredis'
import { remember } from '~/lib/remember.ts'

/** Milliseconds that Redis may take to answer. It is near: one that takes longer is treated as unavailable. */
const CONNECT_TIMEOUT_MS = 2_000
/**
 * Milliseconds for which a connection may owe an answer; then it is closed. Where a firewall or proxy has forgotten a connection, neither end
 * is told: Linux would send the same bytes again for a quarter of an hour, and each command would fail meanwhile.
 */
const MAX_SILENCE_MS = 2 * CONNECT_TIMEOUT_MS
/** Milliseconds between two checks of a connection that only listens. */
const LISTEN_CHECK_MS = 5_000

const options: RedisOptions = {
	lazyConnect: true,
	connectTimeout: CONNECT_TIMEOUT_MS,
	commandTimeout: CONNECT_TIMEOUT_MS,
	socketTimeout: MAX_SILENCE_MS,
	keepAlive: 10_000,
	// Commands fail at once while Redis is unavailable, so that no request waits for it.
	enableOfflineQueue: false,
	autoResendUnfulfilledCommands: false,
	maxRetriesPerRequest: 0,
}

const state = remember<{ client?: Redis }>('redis', () => ({}))

/** The shared connection of this process for commands. It reconnects by itself; until then, commands fail at once. */
export function redis(url: string): Redis {
	if (!state.client) {
		state.client = new Redis(url, { ...options, retryStrategy: (tries) => Math.min(tries * 100, 1_000) })
		// The caller of a command gets its error.
		state.client.on('error', () => {})
		state.client.connect().catch(() => {})
	}
	return state.client
}

/** One more connection, which ends when it is lost. @throws Error when Redis cannot be reached */
export async function connectRedis(url: string): Promise<Redis> {
	const client = new Redis(url, { ...options, retryStrategy: () => null })
	let reason: unknown
	client.on('error', (error) => {
		reason = error
	})
	await client.connect().catch((error) => {
		// The error of `connect` only says that it failed.
		throw reason ?? error
	})
	return client
}

/** Checks regularly that a connection works, which ends it where Redis does not answer. @returns ends the checks */
export function checkConnection(client: Redis): () => void {
	const timer = setInterval(() => client.ping().catch(() => {}), LISTEN_CHECK_MS).unref()
	return () => clearInterval(timer)
}

/** Opens the connection of this process and waits for it. @throws Error with one sentence when Redis cannot be reached */
export async function openRedis(url: string): Promise<void> {
	try {
		const first = await connectRedis(url)
		const client = redis(url)
		if (client.status !== 'ready') await new Promise((resolve) => client.once('ready', resolve))
		first.disconnect()
	} catch (error) {
		throw new Error(
			`The Redis of REDIS_URL cannot be used: ${error instanceof Error ? error.message : String(error)}.`,
			{
				cause: error,
			},
		)
	}
}

/** Ends the connection that {@link redis} opened. */
export function closeRedis(): void {
	state.client?.disconnect()
	state.client = undefined
}
