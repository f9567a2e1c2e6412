import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
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

/** How long a picture that nothing shows stays, for the form that it was uploaded for. */
const grace = sql`interval '1 hour'`
/** The same by its kind: a text of the forum is written over hours. */
const graceOfKind = sql`case kind when 'post' then interval '24 hours' else interval '1 hour' end`

/**
 * Makes the transaction the only one that adds to this member's pictures until it ends.
 * @returns whether the member still has an account
 */
export async function lockPictures(trx: Executor, userId: number): Promise<boolean> {
	const member = await trx.selectFrom('users').select('id').where('id', '=', userId).forNoKeyUpdate().executeTakeFirst()
	return member !== undefined
}

/** A picture by its path, or undefined. */
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

/** Bytes that a member's pictures take, all of their files together. */
export async function sumPictureBytes(executor: Executor, userId: number): Promise<number> {
	const { total } = await executor
		.selectFrom('pictures')
		.select((query) => sql<string>`coalesce(${query.fn.sum('bytes')}, 0)`.as('total'))
		.where('user_id', '=', userId)
		.executeTakeFirstOrThrow()
	return Number(total)
}

/** Inserts the row of an uploaded picture. */
export async function insertPicture(trx: Executor, picture: NewPicture): Promise<void> {
	await trx.insertInto('pictures').values(picture).execute()
}

/** Counts a picture's age again, so that it stays for another hour or day. @returns the picture, or undefined when it is gone */
export function renewPicture(path: string): Promise<PictureRow | undefined> {
	return db()
		.updateTable('pictures')
		.set({ created_at: sql`now()` })
		.where('path', '=', path)
		.returning(shown)
		.executeTakeFirst()
}

/** Pictures that nothing shows and that are older than an hour, those of texts than a day: of forms that were never saved, or things that were changed. */
export async function listUnusedPictures(limit: number): Promise<string[]> {
	const { rows } = await sql<{ path: string }>`
		select path from pictures
		where created_at < now() - ${graceOfKind}
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

/** Forgets a picture. @returns false when it was renewed, or something shows it after all: the database itself refuses then */
export async function deleteUnusedPicture(path: string): Promise<boolean> {
	try {
		const { numDeletedRows } = await db()
			.deleteFrom('pictures')
			.where('path', '=', path)
			.where('created_at', '<', sql<Date>`now() - ${graceOfKind}`)
			// A report gives way to an account that goes, so this is no reference that could refuse.
			.where(({ not, exists, selectFrom }) =>
				not(exists(selectFrom('reported_pictures').whereRef('reported_pictures.path', '=', 'pictures.path'))),
			)
			.executeTakeFirst()
		return numDeletedRows > 0n
	} catch (error) {
		if ((error as { code?: string }).code === '23503') return false
		throw error
	}
}

/**
 * Lists a picture whose files are about to be stored as one to be removed an hour from now. Waits for a sweep that is
 * removing its files at this moment.
 */
export async function expectPicture(path: string): Promise<void> {
	const forgotten_at = sql<Date>`now() + ${grace}`
	await db()
		.insertInto('forgotten_pictures')
		.values({ path, forgotten_at })
		.onConflict((conflict) => conflict.column('path').doUpdateSet({ forgotten_at }))
		.execute()
}

/** Paths whose files are to be removed by now, the oldest first. */
export async function listForgottenPictures(limit: number): Promise<string[]> {
	const rows = await db()
		.selectFrom('forgotten_pictures')
		.select('path')
		.where('forgotten_at', '<=', sql<Date>`now()`)
		.orderBy('forgotten_at')
		.limit(limit)
		.execute()
	return rows.map(({ path }) => path)
}

/**
 * Strikes a path off the list of what is to be removed; until the transaction ends nobody else can.
 * @returns whether it stood there, with `due` as one that is to be removed by now
 */
export async function strikeForgotten(trx: Executor, path: string, { due = false } = {}): Promise<boolean> {
	const { numDeletedRows } = await trx
		.deleteFrom('forgotten_pictures')
		.where('path', '=', path)
		.$if(due, (query) => query.where('forgotten_at', '<=', sql<Date>`now()`))
		.executeTakeFirst()
	return numDeletedRows > 0n
}

/** Which of these pictures are this member's, each with what it may be used for. */
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
