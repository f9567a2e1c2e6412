import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isoSeconds } from '~/platform/db/times.server.ts'

/** A login that waits for its link, as it is stored. */
export interface NewLinkRequest {
	userId: number
	/** The address that the provider vouched for. */
	email: string
	provider: string
	identityHash: string
	/** What the provider calls the person. */
	identityName: string
	browserHash: string
	/** Encrypted. */
	loginData: string
	/** Its lifetime. */
	seconds: number
}

/** Logins of one identity that may wait without a link. Each browser has one, so more of them come from a program. */
const MAX_WAITING = 10

/** Stores a login that waits for its link. Keeps only the newest logins of the same identity that have no link yet. */
export async function insertLinkRequest(request: NewLinkRequest): Promise<void> {
	const { userId, email, provider, identityHash, identityName, browserHash, loginData, seconds } = request
	await sql`
		insert into link_requests (user_id, email, provider, identity_hash, identity_name, browser_hash, kept, expires_at)
		values (${userId}, ${email}, ${provider}, ${identityHash}, ${identityName}, ${browserHash}, ${loginData},
			now() + make_interval(secs => ${seconds}))`.execute(db())
	await sql`
		delete from link_requests where id in (
			select id from link_requests where user_id = ${userId} and identity_hash = ${identityHash} and link_hash is null
			order by id desc offset ${MAX_WAITING})`.execute(db())
}

export interface BrowserLinkRequest {
	user_id: number
	email: string
	provider: string
	identity_name: string
	username: string
}

/** The login of this browser that waits for its link, if it happened within this many seconds and the account still has its address. */
export async function findByBrowser(
	browserHash: string,
	seconds: number,
	executor: Executor = db(),
): Promise<BrowserLinkRequest | undefined> {
	const { rows } = await sql<BrowserLinkRequest>`
		select r.user_id, r.email, r.provider, r.identity_name, u.username from link_requests r
		join users u on u.id = r.user_id join account_emails e on e.user_id = r.user_id and e.email = r.email
		where r.browser_hash = ${browserHash} and r.created_at > now() - make_interval(secs => ${seconds})`.execute(
		executor,
	)
	return rows[0]
}

/**
 * Stores a new link for the login of a browser, in place of earlier ones for the same account and identity.
 * @param link.seconds its lifetime
 * @param link.retentionSeconds seconds for which its mail may wait for the mail server
 */
export async function replaceLink(
	trx: Executor,
	browserHash: string,
	{ hash, seconds, retentionSeconds }: { hash: string; seconds: number; retentionSeconds: number },
): Promise<void> {
	await sql`
		update link_requests set link_hash = null from link_requests own
		where own.browser_hash = ${browserHash} and link_requests.user_id = own.user_id
			and link_requests.identity_hash = own.identity_hash and link_requests.link_hash is not null`.execute(trx)
	await sql`
		update link_requests set link_hash = ${hash}, works_until = now() + make_interval(secs => ${seconds}),
			expires_at = now() + make_interval(secs => ${retentionSeconds})
		where browser_hash = ${browserHash}`.execute(trx)
}

/** Starts the lifetime of a link, in seconds from now. @returns false if it was used or replaced */
export async function activateLink(hash: string, seconds: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update link_requests set works_until = now() + make_interval(secs => ${seconds})
		where link_hash = ${hash} and expires_at > now()`.execute(db())
	return numAffectedRows === 1n
}

export interface LinkRow {
	user_id: number
	email: string
	provider: string
	identity_hash: string
	identity_name: string
	name: string
	username: string
	email_verified: boolean
	/** ISO 8601 in UTC. */
	registered_at: string
	is_leaving: boolean
	/** What the login in this browser passes on, if it was with the same identity; null otherwise. */
	loginData: string | null
}

/**
 * The account that a valid link opens, if the account still has the address that it was mailed to.
 * @param browserHash of the browser that opened it
 * @param seconds for which a login in a browser counts
 */
export async function findByLink(
	executor: Executor,
	{ hash, browserHash, seconds }: { hash: string; browserHash: string; seconds: number },
): Promise<LinkRow | undefined> {
	const { rows } = await sql<LinkRow>`
		select r.user_id, r.email, r.provider, r.identity_hash, r.identity_name, u.name, u.username, u.email_verified,
			${isoSeconds('u.created_at')} as registered_at,
			u.leaves_at is not null as is_leaving,
			(select own.kept from link_requests own
				where own.browser_hash = ${browserHash} and own.user_id = r.user_id and own.identity_hash = r.identity_hash
					and own.created_at > now() - make_interval(secs => ${seconds})) as "loginData"
		from link_requests r
		join users u on u.id = r.user_id join account_emails e on e.user_id = r.user_id and e.email = r.email
		where r.link_hash = ${hash} and r.works_until > now()`.execute(executor)
	return rows[0]
}

/** Deletes what waits for a link to an account, of one identity or of all. */
export async function deleteLinkRequests(trx: Executor, userId: number, identityHash?: string): Promise<void> {
	const ofIdentity = identityHash === undefined ? sql`` : sql`and identity_hash = ${identityHash}`
	await sql`delete from link_requests where user_id = ${userId} ${ofIdentity}`.execute(trx)
}

/** Deletes expired logins; call it regularly. */
export async function sweepLinkRequests(): Promise<void> {
	await sql`delete from link_requests where expires_at < now()`.execute(db())
}
