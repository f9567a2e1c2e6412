import type { ChainableCommander, Redis, RedisOptions } from 'ioredis'
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
/**
 * A key that is never written: removing it changes nothing, and a replica refuses that. An account of Redis may be restricted to the keys of
 * this site.
 * @param site the prefix of its keys
 */
const noKey = (site: string) => `${site} none`

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

const state = remember<{ client?: Redis; listening: Set<Redis> }>('redis', () => ({ listening: new Set() }))

/** Loaded only where a Redis is used. */
const library = () => import('ioredis')

/** The shared connection of this process for commands. It reconnects by itself; until then, commands fail at once. */
export async function redis(url: string): Promise<Redis> {
	if (state.client) return state.client
	const { Redis } = await library()
	// Another call may have made it meanwhile.
	if (!state.client) {
		state.client = new Redis(url, {
			...options,
			retryStrategy: (tries) => Math.min(tries * 100, 1_000),
			reconnectOnError: (error) => isReplicaError(error) && leaveReplica(),
		})
		// The caller of a command gets its error.
		state.client.on('error', () => {})
		state.client.connect().catch(() => {})
	}
	return state.client
}

/**
 * Adds a command that fails at a replica. After a failover a connection may still lead to the former Redis, and messages that are published
 * at a replica reach none of the other nodes, without an error.
 * @param site the prefix of its keys
 */
export function refuseReplica(pipeline: ChainableCommander, site: string): void {
	pipeline.del(noKey(site))
}

/** Whether Redis refused a command as it is a replica. */
export function isReplicaError(error: unknown): error is Error {
	return error instanceof Error && error.message.startsWith('READONLY')
}

/** Ends the connections that listen, which are made again; so is the one for commands. */
function leaveReplica(): true {
	for (const client of state.listening) client.disconnect()
	return true
}

/**
 * One more connection, which ends when it is lost.
 * @param site the prefix of its keys, to refuse a replica
 * @throws Error when Redis cannot be reached, or is a replica
 */
export async function connectRedis(url: string, site?: string): Promise<Redis> {
	const { Redis } = await library()
	const client = new Redis(url, { ...options, retryStrategy: () => null })
	let reason: unknown
	client.on('error', (error) => {
		reason = error
	})
	await client.connect().catch((error) => {
		// The error of `connect` only says that it failed.
		throw reason ?? error
	})
	if (site === undefined) return client
	await client.del(noKey(site)).catch((error) => {
		// An account may be allowed to do less; it is enough that this is no replica.
		if (!isReplicaError(error)) return
		client.disconnect()
		throw new Error('it is a replica, which passes nothing on', { cause: error })
	})
	return client
}

/**
 * Checks regularly that a connection that listens works, which ends it where Redis does not answer, or is a replica.
 * @param site the prefix of its keys
 * @returns ends the checks
 */
export function watchRedis(client: Redis, url: string, site: string): () => void {
	const check = () => {
		client.ping().catch(() => {})
		// A connection that listens takes no such command.
		redis(url)
			.then((commands) => commands.del(noKey(site)))
			.catch(() => {})
	}
	const timer = setInterval(check, LISTEN_CHECK_MS).unref()
	state.listening.add(client)
	return () => {
		clearInterval(timer)
		state.listening.delete(client)
	}
}

/** Opens the connection of this process and waits for it. @param site the prefix of its keys @throws Error with one sentence when Redis cannot be reached */
export async function openRedis(url: string, site: string): Promise<void> {
	try {
		const first = await connectRedis(url, site)
		const client = await redis(url)
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
