import { createHmac, randomBytes } from 'node:crypto'
import pg from 'pg'
import { pool } from '~/platform/db/db.server.ts'
import type { Place } from '../chat-members.ts'
import { testDatabaseUrl } from '../members-site.ts'

/** Pairs of members of 0.1.0's demo content without a conversation. */
const pairs = [
	['leela.harbourwala', 'bram.oystergate'],
	['farida.inkwell', 'zubin.marblepath'],
	['jaya.meadowlark', 'ishani.paperwala'],
] as const

/** Restores a dump of an earlier version into the test's empty database, over a connection without timeouts. */
export async function restoreDump(dump: string): Promise<void> {
	const client = new pg.Client({ connectionString: await testDatabaseUrl() })
	await client.connect()
	try {
		await client.query(dump)
	} finally {
		await client.end()
	}
}

/**
 * Logged-in members of a site of version 0.1.0, on the test's database before it is migrated.
 * @param url of the site
 * @param secret AUTH_SECRET, the same before and after
 */
export async function loggedInBefore(url: string, secret: string): Promise<[Place, Place][]> {
	const logIn = async (from: string, to: string): Promise<Place> => {
		const token = randomBytes(24).toString('base64url')
		const { rowCount } = await pool().query(
			`insert into sessions (user_id, token, expires_at) select id, $1, now() + interval '30 days' from users where username = $2`,
			[token, from],
		)
		if (rowCount !== 1) throw new Error(`There is no member ${from}.`)
		const signature = createHmac('sha256', secret).update(token).digest('base64')
		return { url, cookie: `session=${encodeURIComponent(`${token}.${signature}`)}`, from, to }
	}
	return Promise.all(pairs.map(([one, other]) => Promise.all([logIn(one, other), logIn(other, one)])))
}
