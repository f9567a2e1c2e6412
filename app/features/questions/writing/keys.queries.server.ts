import { sql } from 'kysely'
import type { Executor } from '~/platform/db/db.server.ts'
import type { CreatedPost } from './writing.queries.server.ts'

/* Idempotency keys, with what was created under each. */

interface Claim {
	authorId: number
	key: string
	digest: string
}

/** Minimum retention of an idempotency key. */
const KEY_LIFETIME = sql.raw("interval '1 day'")

/**
 * Locks a key for this transaction; another one with the same key waits here until it ends. Must come before any other lock, so
 * that a waiting transaction holds none.
 * @returns what the key was used for, or null when it is unused
 */
export async function claimKey(
	trx: Executor,
	{ authorId, key, digest }: Claim,
): Promise<{ digest: string; post_id: number | null; url: string | null } | null> {
	const { rows } = await sql`
		insert into sent_posts (author_id, key, digest) values (${authorId}, ${key}, ${digest})
		on conflict do nothing returning key`.execute(trx)
	if (rows.length > 0) {
		await deleteOldKeys(trx, authorId)
		return null
	}
	return trx
		.selectFrom('sent_posts')
		.select(['digest', 'post_id', 'url'])
		.where('author_id', '=', authorId)
		.where('key', '=', key)
		.executeTakeFirstOrThrow()
}

/** Stores what the submission with a locked key has created. */
export async function recordKeyResult(
	trx: Executor,
	{ authorId, key }: Omit<Claim, 'digest'>,
	made: CreatedPost,
): Promise<void> {
	await trx
		.updateTable('sent_posts')
		.set({ post_id: made.id, url: made.url })
		.where('author_id', '=', authorId)
		.where('key', '=', key)
		.execute()
}

/** Each submission deletes old keys of its author; an inactive member's last keys stay. */
async function deleteOldKeys(trx: Executor, authorId: number): Promise<void> {
	await sql`delete from sent_posts where ctid in (
		select ctid from sent_posts where author_id = ${authorId} and sent_at < now() - ${KEY_LIFETIME} for update skip locked)`.execute(
		trx,
	)
}
