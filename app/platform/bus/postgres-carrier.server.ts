import pg from 'pg'
import { pool } from '~/platform/db/db.server.ts'
import { LISTEN_CHECK_MS } from '~/platform/db/time-limits.server.ts'
import type { Carrier } from './bus.ts'

/*
 * A transaction that notifies is written to the log of the database, and its commit would wait for the disk. Nothing of it is
 * worth that: a crash of PostgreSQL ends the listening connections too.
 */
const notify = `
	with hurried as materialized (select set_config('synchronous_commit', 'off', true))
	select pg_notify($1, said.text) from hurried, unnest($2::text[]) as said (text)`

/** PostgreSQL's LISTEN and NOTIFY, on the site's own database. It needs a connection that stays: no pgbouncer by transaction. */
export function postgresCarrier(): Carrier {
	return {
		// PostgreSQL refuses a payload of 8,000 bytes.
		longest: 7_999,
		send: async (channel, texts) => {
			await pool().query(notify, [channel, texts])
		},
		listen,
	}
}

const listen: Carrier['listen'] = async (channel, hear, onEnd) => {
	// The pool's own kind of client names its statements, and LISTEN is none that could be planned.
	const { Client: _client, ...options } = pool().options
	// The pool hides the password from whoever lists its options.
	const { password } = pool().options
	// By its name a connection that listens is known in pg_stat_activity.
	const named = { application_name: `listen ${channel}`, query_timeout: LISTEN_CHECK_MS / 2 }
	const client = new pg.Client({ ...options, ...named, password })
	client.on('error', () => {})
	client.on('notification', ({ payload = '' }) => hear(payload))
	await client.connect()
	await client.query(`listen ${pg.escapeIdentifier(channel)}`)
	client.once('end', onEnd)
	// A server that was stopped or cut off closes nothing: what it should have passed on is missed until somebody asks.
	const timer = setInterval(() => {
		// In this mode a statement that is not answered in time ends the connection.
		client.query('select 1').catch(() => {})
	}, LISTEN_CHECK_MS).unref()
	client.once('end', () => clearInterval(timer))
	return async () => {
		clearInterval(timer)
		client.off('end', onEnd)
		await client.end()
	}
}
