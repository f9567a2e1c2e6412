import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'

/** What a post was made as. */
export interface Made {
	id: number
	url: string
}

interface Claim {
	authorId: number
	key: string
	digest: string
}

/** How long a key is remembered, at least. */
const keptFor = sql.raw("interval '1 day'")

/**
 * Takes a key for this transaction; another one that wants the same waits here until this one ends. Must come before any
 * other lock, so that whoever waits holds nothing.
 * @returns what the key was used for already, or null when it is free
 */
export async function claimKey(
	trx: Executor,
	{ authorId, key, digest }: Claim,
): Promise<{ digest: string; post_id: number | null; url: string | null } | null> {
	const { rows } = await sql`
		insert into sent_posts (author_id, key, digest) values (${authorId}, ${key}, ${digest})
		on conflict do nothing returning key`.execute(trx)
	if (rows.length > 0) {
		await forgetOld(trx, authorId)
		return null
	}
	return trx
		.selectFrom('sent_posts')
		.select(['digest', 'post_id', 'url'])
		.where('author_id', '=', authorId)
		.where('key', '=', key)
		.executeTakeFirstOrThrow()
}

/** Notes what the sending with a claimed key has made. */
export async function noteMade(trx: Executor, { authorId, key }: Omit<Claim, 'digest'>, made: Made): Promise<void> {
	await trx
		.updateTable('sent_posts')
		.set({ post_id: made.id, url: made.url })
		.where('author_id', '=', authorId)
		.where('key', '=', key)
		.execute()
}

/** Each author sweeps behind themselves: what stays of a member who writes no more is what they sent in their last day. */
async function forgetOld(trx: Executor, authorId: number): Promise<void> {
	await sql`delete from sent_posts where ctid in (
		select ctid from sent_posts where author_id = ${authorId} and sent_at < now() - ${keptFor} for update skip locked)`.execute(
		trx,
	)
}
