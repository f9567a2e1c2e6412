import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import { log } from '~/lib/log.server.ts'
import { pool } from './db.server.ts'

/** What is sent begins with this, so that a process does not hear itself. */
const self = randomUUID()

/** PostgreSQL takes at most 8,000 bytes in one message. */
const longestMessage = 7_900

/** Milliseconds between two tries to listen again. */
const pause = 500

interface Listener {
	onMessage: (message: string) => void
	/** The connection is gone: messages may be missed from now on. */
	onLost: () => void
	/** It is there again; what was said meanwhile was missed. */
	onBack: () => void
}

/**
 * Tells every other process that listens on this channel.
 * @throws Error when the database cannot be reached, RangeError for more than 7,900 bytes
 */
export async function publish(channel: string, message: string): Promise<void> {
	const text = `${self} ${message}`
	if (Buffer.byteLength(text) > longestMessage) throw new RangeError('The message is too long for the bus.')
	await pool().query('select pg_notify($1, $2)', [channel, text])
}

/**
 * Listens on a channel with a connection of its own, and again whenever that is lost.
 * @returns what stops listening
 * @throws Error when the first connection fails
 */
export async function openBus(channel: string, listener: Listener): Promise<() => Promise<void>> {
	let stopped = false
	let client = await listen(channel, listener, lost)
	return async () => {
		stopped = true
		client.removeAllListeners('end')
		await client.end()
	}

	async function lost(): Promise<void> {
		if (stopped) return
		listener.onLost()
		log.warn({ channel }, 'the connection of the bus was lost')
		while (!stopped) {
			await sleep(pause, undefined, { ref: false })
			try {
				client = await listen(channel, listener, lost)
				listener.onBack()
				return
			} catch {
				// The database is still away.
			}
		}
	}
}

async function listen(channel: string, { onMessage }: Listener, onEnd: () => void): Promise<pg.Client> {
	// The pool's own kind of client names its statements, and LISTEN is none that could be planned.
	const { Client: _client, ...options } = pool().options
	const client = new pg.Client(options)
	client.on('error', () => {})
	client.on('notification', ({ payload = '' }) => {
		const [sender, ...words] = payload.split(' ')
		if (sender !== self) onMessage(words.join(' '))
	})
	await client.connect()
	await client.query(`listen ${pg.escapeIdentifier(channel)}`)
	client.once('end', onEnd)
	return client
}
