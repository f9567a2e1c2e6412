import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

const MAX_MAILS_PER_HOUR = 3
const MAX_MAILS_PER_DAY = 5

/** Takes one mail from the budget of an address, given by its hash. Of many at once no more pass. @returns whether there was one left */
export async function takeMailBudget(trx: Executor, address: string): Promise<boolean> {
	await sql`select pg_advisory_xact_lock(hashtextextended(${address}, 30))`.execute(trx)
	const { rows } = await sql`
		insert into account_mails (address)
		select ${address} from account_mails
		where address = ${address} and sent_at > now() - interval '1 day' and sent_at <= now()
		having count(*) < ${MAX_MAILS_PER_DAY}
			and count(*) filter (where sent_at > now() - interval '1 hour') < ${MAX_MAILS_PER_HOUR}
		returning id`.execute(trx)
	return rows.length > 0
}

/** Keeps a link that confirms an address; those that were mailed to it before work no more. */
export async function insertEmailLink(
	trx: Executor,
	link: { hash: string; email: string; userId: number | null; seconds: number },
): Promise<void> {
	await sql`delete from email_links where email = ${link.email} and used_at is null`.execute(trx)
	await sql`
		insert into email_links (token_hash, email, user_id, expires_at)
		values (${link.hash}, ${link.email}, ${link.userId}, now() + make_interval(secs => ${link.seconds}))`.execute(trx)
	await sql`update registrations set created_at = now() where email = ${link.email}`.execute(trx)
}

/** Keeps a link that sets a new password, where Better Auth looks for it; the member's older ones work no more. */
export async function replaceResetLink(
	trx: Executor,
	link: { userId: number; hash: string; seconds: number },
): Promise<void> {
	await sql`delete from verifications where value = ${String(link.userId)}`.execute(trx)
	await sql`
		insert into verifications (identifier, value, expires_at)
		values (${link.hash}, ${String(link.userId)}, now() + make_interval(secs => ${link.seconds}))`.execute(trx)
}

/**
 * Has a link that sets a new password work for so many seconds from now.
 * @returns false when it was used or taken back, or when its mail waited for too long
 */
export async function beginResetLink(hash: string, seconds: number): Promise<boolean> {
	const { numAffectedRows } = await sql`
		update verifications set expires_at = now() + make_interval(secs => ${seconds})
		where identifier = ${hash} and created_at > now() - interval '1 day' and expires_at > now()`.execute(db())
	return numAffectedRows === 1n
}
