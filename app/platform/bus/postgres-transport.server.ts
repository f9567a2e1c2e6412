import pg from 'pg'
import { pool } from '~/platform/db/db.server.ts'
import { LISTEN_CHECK_MS } from '~/platform/db/time-limits.server.ts'
import type { BusTransport } from './bus.ts'

/*
 * A transaction with NOTIFY writes to the WAL, and its commit would wait for the disk. That is not needed here: a crash of
 * PostgreSQL ends the listening connections too.
 */
const notify = `
	with hurried as materialized (select set_config('synchronous_commit', 'off', true))
	select pg_notify($1, said.text) from hurried, unnest($2::text[]) as said (text)`

/** Identifies the listening connection in pg_stat_activity. */
const LISTENING_APPLICATION = 'devquad bus'

/** The one connection of a process that listens on all channels. */
interface Listening {
	client: pg.Client
	/** Listeners by channel. */
	listeners: Map<string, Set<(text: string) => void>>
	/** Called once when the connection is lost. */
	endHandlers: Set<() => void>
	/** Makes the next listener open another connection. */
	forget: () => void
}

/** PostgreSQL's LISTEN and NOTIFY, on the site's own database. It needs a lasting connection: no pgbouncer with transaction pooling. */
export function postgresTransport(): BusTransport {
	let open: Promise<Listening> | undefined

	/** The open connection, or a new one. */
	const connection = () => {
		if (open) return open
		const opening = connect(() => {
			if (open === opening) open = undefined
		})
		open = opening
		return opening
	}

	return {
		// PostgreSQL limits a payload to less than 8,000 bytes.
		longest: 7_999,
		send: async (channel, texts) => {
			await pool().query(notify, [channel, texts])
		},
		listen: async (channel, hear, onEnd) => {
			const { client, listeners, endHandlers, forget } = await connection()
			const subscribers = listeners.get(channel) ?? new Set()
			listeners.set(channel, subscribers.add(hear))
			let isListening = false
			// If the connection ends earlier, the statement below fails, and the caller already retries.
			const end = () => isListening && onEnd()
			endHandlers.add(end)
			const unsubscribe = () => {
				subscribers.delete(hear)
				endHandlers.delete(end)
			}
			try {
				await client.query(`listen ${pg.escapeIdentifier(channel)}`)
				isListening = true
			} catch (error) {
				unsubscribe()
				// A server that is a replica since a failover answers `select 1`, but never takes LISTEN.
				forget()
				client.end().catch(() => {})
				throw error
			}
			return async () => {
				unsubscribe()
				if (endHandlers.size === 0) {
					forget()
					await client.end()
				} else if (subscribers.size === 0)
					await client.query(`unlisten ${pg.escapeIdentifier(channel)}`).catch(() => {})
			}
		},
	}
}

/** Connects, and checks regularly that the connection works. @param forget called when it is lost, or could not be opened */
async function connect(forget: () => void): Promise<Listening> {
	// The pool's own client class names its statements, and LISTEN cannot be prepared.
	const { Client: _client, ...options } = pool().options
	// The pool hides the password from its listed options.
	const { password } = pool().options
	const named = { application_name: LISTENING_APPLICATION, query_timeout: LISTEN_CHECK_MS / 2 }
	const client = new pg.Client({ ...options, ...named, password })
	const listening: Listening = { client, listeners: new Map(), endHandlers: new Set(), forget }
	client.on('error', () => {})
	client.on('notification', ({ channel, payload = '' }) => {
		for (const hear of listening.listeners.get(channel) ?? []) hear(payload)
	})
	try {
		await client.connect()
	} catch (error) {
		forget()
		throw error
	}
	// A server that was suspended or cut off closes no connection: its messages are missed until a check fails.
	const timer = setInterval(() => {
		// In this mode, a statement without an answer in time ends the connection.
		client.query('select 1').catch(() => {})
	}, LISTEN_CHECK_MS).unref()
	client.once('end', () => {
		clearInterval(timer)
		forget()
		const endHandlers = [...listening.endHandlers]
		listening.endHandlers.clear()
		for (const end of endHandlers) end()
	})
	return listening
}
