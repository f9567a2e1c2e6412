import { sql } from 'kysely'
import { codeOf } from '~/lib/system-errors.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isDiscussed } from '~/platform/db/posts.server.ts'
import type { PictureKind } from './pictures.view.ts'

export interface PictureRow {
	path: string
	kind: PictureKind
	width: number
	height: number
	colour: string
}

export interface NewPicture extends PictureRow {
	user_id: number
	bytes: number
}

const shown = ['path', 'kind', 'width', 'height', 'colour'] as const

/** How long an unused picture is kept, for the form that it was uploaded for. */
const grace = sql`interval '1 hour'`
/** By kind: writing a post may take hours. */
const graceOfKind = sql`case kind when 'post' then interval '24 hours' else interval '1 hour' end`

/** Locks additions to a member's pictures until the transaction ends. @returns whether the account still exists */
export async function lockPictures(trx: Executor, userId: number): Promise<boolean> {
	const member = await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().executeTakeFirst()
	return member !== undefined
}

/** Finds a picture by its path. */
export function findPicture(
	path: string,
	executor: Executor = db(),
): Promise<(PictureRow & { user_id: number }) | undefined> {
	return executor
		.selectFrom('pictures')
		.select([...shown, 'user_id'])
		.where('path', '=', path)
		.executeTakeFirst()
}

/** The total size of a member's pictures, in bytes. */
export async function sumPictureBytes(executor: Executor, userId: number): Promise<number> {
	const { total } = await executor
		.selectFrom('pictures')
		.select((query) => sql<string>`coalesce(${query.fn.sum('bytes')}, 0)`.as('total'))
		.where('user_id', '=', userId)
		.executeTakeFirstOrThrow()
	return Number(total)
}

/** Inserts an uploaded picture. */
export async function insertPicture(trx: Executor, picture: NewPicture): Promise<void> {
	await trx.insertInto('pictures').values(picture).execute()
}

/** Resets the age of a picture, so that it is kept for another hour or day. @returns the picture; undefined if it is gone */
export function renewPicture(path: string): Promise<PictureRow | undefined> {
	return db()
		.updateTable('pictures')
		.set({ created_at: sql`now()` })
		.where('path', '=', path)
		.returning(shown)
		.executeTakeFirst()
}

/**
 * Unused pictures older than an hour, or a day for posts: of forms that were never saved, or after a change.
 * @param options.ownerId only those of this member
 * @param options.except paths that are left out
 */
export async function listUnusedPictures(
	limit: number,
	{ ownerId = null, except = [] }: { ownerId?: number | null; except?: readonly string[] } = {},
): Promise<string[]> {
	const { rows } = await sql<{ path: string }>`
		select path from pictures
		where created_at < now() - ${graceOfKind} ${ownerId === null ? sql`` : sql`and user_id = ${ownerId}`}
			and path <> all (${except}::text[])
			and not exists (select 1 from users where image = pictures.path)
			and not exists (select 1 from profiles where hidden_image = pictures.path)
			and not exists (select 1 from projects where project_image = pictures.path)
			and not exists (select 1 from certificates where certificate_image = pictures.path)
			and not exists (select 1 from post_pictures where path = pictures.path)
			and not exists (select 1 from message_pictures where path = pictures.path)
			and not exists (select 1 from reported_pictures where path = pictures.path)
			and not exists (select 1 from site_logos where path = pictures.path)
		order by created_at limit ${limit}`.execute(db())
	return rows.map(({ path }) => path)
}

/** Deletes the row of a picture. @returns false if it was renewed or is used: foreign keys prevent the deletion */
export async function deleteUnusedPicture(path: string): Promise<boolean> {
	try {
		const { numDeletedRows } = await db()
			.deleteFrom('pictures')
			.where('path', '=', path)
			.where('created_at', '<', sql<Date>`now() - ${graceOfKind}`)
			// Reports have no foreign key that prevents it, as they must not block the deletion of an account.
			.where(({ not, exists, selectFrom }) =>
				not(exists(selectFrom('reported_pictures').whereRef('reported_pictures.path', '=', 'pictures.path'))),
			)
			.executeTakeFirst()
		return numDeletedRows > 0n
	} catch (error) {
		if (codeOf(error) === '23503') return false
		throw error
	}
}

/** Whether a profile shows this picture of a project or a certificate to this viewer, or the viewer uploaded it. @param viewerId null for a visitor */
export async function isShownTo(viewerId: number | null, path: string): Promise<boolean> {
	const view = (items: string) => sql.table(`${viewerId === null ? 'public' : 'shown'}_${items}`)
	const { rows } = await sql<{ shown: boolean }>`
		select exists (select from ${view('projects')} items where project_image = ${path})
			or exists (select from ${view('certificates')} items where certificate_image = ${path})
			or exists (select from pictures where path = ${path} and user_id = ${viewerId}::int) as shown`.execute(db())
	return rows[0]?.shown ?? false
}

/**
 * Whether a post that everybody may read shows this picture, or did before an edit that its history has: a published or merged question, or
 * a published comment on one, or on the remains of a deleted one.
 */
export async function isShownInPost(path: string): Promise<boolean> {
	const isRead = sql`q.status in ('published', 'merged')`
	const { rows } = await sql`
		select from post_pictures shown
		left join revisions r on r.id = shown.revision_id
		left join comments c on c.id = coalesce(shown.comment_id, r.comment_id)
		join questions q on q.id = coalesce(shown.question_id, r.question_id, c.question_id)
		where shown.path = ${path}
			and case when c.id is null then ${isRead} else c.status = 'published' and (${isRead} or ${isDiscussed}) end
		limit 1`.execute(db())
	return rows.length > 0
}

/** Registers a picture, before its files are stored, for removal in an hour. Waits for a sweep that is removing its files. */
export async function schedulePictureRemoval(path: string): Promise<void> {
	const forgotten_at = sql<Date>`now() + ${grace}`
	await db()
		.insertInto('forgotten_pictures')
		.values({ path, forgotten_at })
		.onConflict((conflict) => conflict.column('path').doUpdateSet({ forgotten_at }))
		.execute()
}

/** Paths whose files are due for removal, oldest first. @param options.except paths that are left out */
export async function listForgottenPictures(
	limit: number,
	{ except = [] }: { except?: readonly string[] } = {},
): Promise<string[]> {
	const rows = await db()
		.selectFrom('forgotten_pictures')
		.select('path')
		.where('forgotten_at', '<=', sql<Date>`now()`)
		.where(sql<boolean>`path <> all (${except}::text[])`)
		.orderBy('forgotten_at')
		.limit(limit)
		.execute()
	return rows.map(({ path }) => path)
}

/**
 * Takes a path off the removal list, locked until the transaction ends.
 * @returns whether it was on the list, with `due` only if its removal is due
 */
export async function cancelPictureRemoval(trx: Executor, path: string, { due = false } = {}): Promise<boolean> {
	const { numDeletedRows } = await trx
		.deleteFrom('forgotten_pictures')
		.where('path', '=', path)
		.$if(due, (query) => query.where('forgotten_at', '<=', sql<Date>`now()`))
		.executeTakeFirst()
	return numDeletedRows > 0n
}

/** Those of these pictures that belong to this member, with their kinds. */
export async function listOwnPictures(
	userId: number,
	paths: string[],
	executor: Executor = db(),
): Promise<{ path: string; kind: PictureKind }[]> {
	return executor
		.selectFrom('pictures')
		.select(['path', 'kind'])
		.where('user_id', '=', userId)
		.where('path', 'in', paths.length > 0 ? paths : [''])
		.execute()
}
