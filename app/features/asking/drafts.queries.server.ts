import { type Generated, type GeneratedAlways, sql } from 'kysely'
import { postLimits } from '~/features/questions/questions.limits.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { Merge } from '~/platform/member-data.ts'

declare module '~/platform/db/schema.ts' {
	interface Database {
		drafts: {
			id: GeneratedAlways<number>
			user_id: number
			key: string
			title: string
			description: string
			tags: string
			category: string
			pseudonym: Generated<boolean>
			made_from: Generated<number>
			version: Generated<number>
			updated_at: Generated<Date>
		}
	}
}

export interface DraftTexts {
	title: string
	description: string
	tags: string
	category: string
	pseudonym: boolean
	made_from: number
}

export interface DraftRow extends DraftTexts {
	id: number
	version: number
	updated_at: Date
}

const columns = [
	...(['id', 'title', 'description', 'tags', 'category', 'pseudonym'] as const),
	...(['made_from', 'version', 'updated_at'] as const),
] as const

/** Drafts per member: one new question, and edits. */
const MAX_DRAFTS = 20

/** The draft of a form; undefined without one. @param key the form's key, from `draftKey` */
export function findDraft(userId: number, key: string, executor: Executor = db()): Promise<DraftRow | undefined> {
	return executor
		.selectFrom('drafts')
		.select(columns)
		.where('user_id', '=', userId)
		.where('key', '=', key)
		.executeTakeFirst()
}

/** All drafts of a member, newest first; they are few. */
export function listDraftRows(userId: number): Promise<(DraftRow & { key: string })[]> {
	return db()
		.selectFrom('drafts')
		.select([...columns, 'key'])
		.where('user_id', '=', userId)
		.orderBy('updated_at', 'desc')
		.orderBy('key')
		.limit(MAX_DRAFTS)
		.execute()
}

/** Locks a member's drafts until the transaction ends. */
export async function lockDrafts(trx: Executor, userId: number): Promise<void> {
	await sql`select pg_advisory_xact_lock(hashtext('drafts'), ${userId})`.execute(trx)
}

/** Stores a draft, replacing the present one. @returns its id, which stays, and its version, higher than any before */
export function writeDraft(
	trx: Executor,
	userId: number,
	key: string,
	texts: DraftTexts,
): Promise<{ id: number; version: number }> {
	return trx
		.insertInto('drafts')
		.values({ user_id: userId, key, ...texts })
		.onConflict((conflict) =>
			conflict
				.columns(['user_id', 'key'])
				.doUpdateSet({ ...texts, version: sql`drafts.version + 1`, updated_at: sql`now()` }),
		)
		.returning(['id', 'version'])
		.executeTakeFirstOrThrow()
}

/** Deletes a member's oldest drafts beyond the limit. */
export async function trimDrafts(trx: Executor, userId: number): Promise<void> {
	await sql`
		delete from drafts where id in (
			select id from drafts where user_id = ${userId} order by updated_at desc, id desc offset ${MAX_DRAFTS})`.execute(
		trx,
	)
}

/** Deletes the draft of a form, if there is one. */
export async function removeDraft(userId: number, key: string): Promise<void> {
	await db().deleteFrom('drafts').where('user_id', '=', userId).where('key', '=', key).execute()
}

/**
 * Where both of two merged accounts have a draft of a new question, the one that is kept gets the texts of the other one below its own, as far
 * as there is room. It is under a pseudonym if either was.
 */
export async function joinAskDrafts(trx: Executor, { goneId, keptId }: Merge): Promise<void> {
	const title = sql`coalesce(nullif(kept.title, ''), gone.title)`
	const texts = sql`concat_ws(e'\n\n', nullif(kept.description, ''), nullif(nullif(gone.title, ''), ${title}),
		nullif(nullif(gone.description, ''), kept.description))`
	await sql`
		update drafts kept set title = ${title}, tags = coalesce(nullif(kept.tags, ''), gone.tags),
			description = left(${texts}, ${postLimits.descriptionMax}), pseudonym = kept.pseudonym or gone.pseudonym,
			version = kept.version + 1, updated_at = greatest(kept.updated_at, gone.updated_at)
		from drafts gone
		where kept.user_id = ${keptId} and gone.user_id = ${goneId} and kept.key = 'ask' and gone.key = 'ask'
			and (gone.title, gone.description, gone.tags, gone.pseudonym)
				is distinct from (kept.title, kept.description, kept.tags, kept.pseudonym)`.execute(trx)
}
