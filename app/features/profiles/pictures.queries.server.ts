import { sql } from 'kysely'
import { db, type Executor } from '~/db/db.server.ts'
import type { PictureKind } from '~/lib/picture-paths.ts'

export interface PictureRow {
	path: string
	kind: PictureKind
	width: number
	height: number
	colour: string
}

/** Holds the files of one member's pictures until the transaction ends: nobody else adds or removes any of them. */
export async function lockPictures(trx: Executor, username: string): Promise<void> {
	await sql`select pg_advisory_xact_lock(hashtextextended('pictures:' || ${username}, 0))`.execute(trx)
}

/** A picture by its path, or undefined. */
export function findPicture(
	path: string,
	executor: Executor = db(),
): Promise<(PictureRow & { user_id: number }) | undefined> {
	return executor
		.selectFrom('pictures')
		.select(['path', 'kind', 'width', 'height', 'colour', 'user_id'])
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

export async function insertPicture(
	trx: Executor,
	picture: PictureRow & { user_id: number; bytes: number },
): Promise<void> {
	await trx.insertInto('pictures').values(picture).execute()
	await trx.deleteFrom('forgotten_pictures').where('path', '=', picture.path).execute()
}

/** Counts a picture's age anew, for one that was sent again. */
export async function renewPicture(trx: Executor, path: string): Promise<void> {
	await trx.updateTable('pictures').set({ created_at: new Date() }).where('path', '=', path).execute()
}

/** Pictures that nothing shows and that are older than an hour: of forms that were never saved, or things that were changed. */
export async function listUnusedPictures(limit: number): Promise<string[]> {
	const { rows } = await sql<{ path: string }>`
		select path from pictures
		where created_at < now() - interval '1 hour'
			and not exists (select 1 from users where image = pictures.path)
			and not exists (select 1 from projects where project_image = pictures.path)
			and not exists (select 1 from certificates where certificate_image = pictures.path)
		order by created_at limit ${limit}`.execute(db())
	return rows.map(({ path }) => path)
}

/** Forgets a picture. @returns false when something shows it after all: the database itself refuses then */
export async function deletePicture(path: string): Promise<boolean> {
	try {
		await db().deleteFrom('pictures').where('path', '=', path).execute()
		return true
	} catch (error) {
		if ((error as { code?: string }).code === '23503') return false
		throw error
	}
}

/** Paths whose files are to be removed, the oldest first. */
export async function listForgottenPictures(limit: number): Promise<string[]> {
	const rows = await db().selectFrom('forgotten_pictures').select('path').orderBy('forgotten_at').limit(limit).execute()
	return rows.map(({ path }) => path)
}

/** Strikes a path off the list of what is to be removed. */
export async function removeForgotten(trx: Executor, path: string): Promise<void> {
	await trx.deleteFrom('forgotten_pictures').where('path', '=', path).execute()
}
