import { createHmac, randomBytes } from 'node:crypto'
import pg from 'pg'
import { pool } from '~/platform/db/db.server.ts'
import type { Place } from '../chat-members.ts'
import { testDatabaseUrl } from '../members-site.ts'

/** Members of the demo content of 0.1.0 who have not written to each other, in pairs. */
const pairs = [
	['leela.harbourwala', 'bram.oystergate'],
	['farida.inkwell', 'zubin.marblepath'],
	['jaya.meadowlark', 'ishani.paperwala'],
] as const

/** Fills the empty database that the test has open with a dump of an earlier version, by a connection without its time limits. */
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
 * Members who are logged in at a site of version 0.1.0 whose database the test has open, and is not migrated yet.
 * @param url of the site @param secret AUTH_SECRET, the same before and after
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
