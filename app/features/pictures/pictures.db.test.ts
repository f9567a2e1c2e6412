import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { sql } from 'kysely'
import sharp from 'sharp'
import { beforeAll, beforeEach, expect, test } from 'vitest'
import { config } from '~/config.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { picture } from '../../../tests/factories/pictures.ts'
import { useDatabase } from '../../../tests/support/database.ts'
import { pictureShapes } from './pictures.api.server.ts'
import {
	cancelPictureRemoval,
	deleteUnusedPicture,
	listUnusedPictures,
	schedulePictureRemoval,
} from './pictures.queries.server.ts'
import { pictureFromForm, storePicture, sweepPictures } from './pictures.server.ts'
import type { PictureView } from './pictures.view.ts'
import { type PictureKind, widthsOf } from './pictures.view.ts'

useDatabase()

let mira: SignedIn
let odalys: SignedIn

beforeAll(async () => {
	mira = await addMember('mira')
	odalys = await addMember('odalys')
})

beforeEach(async () => {
	await db().updateTable('users').set({ image: null }).execute()
	await db().deleteFrom('pictures').execute()
	await sweepPictures()
})

test('a picture is stored in three widths, with its size in its row', async () => {
	const view = await storePicture(mira, 'project', blob(await picture('jpeg', 1_600, 1_200)))
	expect(view).toMatchObject({
		width: 1_280,
		height: 960,
		path: expect.stringMatching(/^projects\/mira\/[0-9a-f]{32}$/),
	})
	expect(filesOf(view.path)).toEqual([true, true, true])
})

test('uploading the same picture again, even ten times concurrently, stores it once', async () => {
	const file = blob(await picture('png'))
	const views = await Promise.all(Array.from({ length: 10 }, () => storePicture(mira, 'profile', file)))
	expect(new Set(views.map(({ path }) => path)).size).toBe(1)
	expect(await rows()).toHaveLength(1)
})

test('the path of a picture of a post tells neither who uploaded it nor that they did so before', async () => {
	const file = blob(await picture('png'))
	const [one, again] = [await storePicture(mira, 'post', file), await storePicture(mira, 'post', file)]
	expect(one.path).toMatch(/^posts\/-\/[0-9a-f]{32}$/)
	expect(again.path).not.toBe(one.path)
	expect(filesOf(one.path)).toEqual([true, true, true])
})

test('parallel uploads cannot exceed the quota of 50 MB', async () => {
	await fill(mira, 50 * 1024 * 1024 - 3_000)
	const files = await Promise.all([1, 2, 3, 4, 5].map((shade) => picture('png', 300 + shade, 300)))
	const outcomes = await Promise.allSettled(files.map((file) => storePicture(mira, 'certificate', blob(file))))
	const { total } = await db()
		.selectFrom('pictures')
		.select(({ fn }) => fn.sum('bytes').as('total'))
		.executeTakeFirstOrThrow()
	expect(Number(total)).toBeLessThanOrEqual(50 * 1024 * 1024)
	const refused = outcomes.filter((outcome) => outcome.status === 'rejected')
	expect(refused.length).toBeGreaterThan(0)
	for (const { reason } of refused) expect(reason).toMatchObject({ kind: 'quota-exceeded', status: 402 })
	// Nothing remains of the refused ones.
	await makeDue()
	await sweepPictures()
	expect(storedFiles('certificates/mira')).toBe(outcomes.filter(({ status }) => status === 'fulfilled').length * 3)
	// Each member has a quota of their own.
	await storePicture(odalys, 'certificate', blob(await picture('png')))
})

test('a picture that was removed from a profile frees quota at once; one that is shown, or still in a form, does not', async () => {
	await fill(mira, 50 * 1024 * 1024)
	const path = (await rows())[0]?.path ?? ''
	const upload = async () => storePicture(mira, 'project', blob(await picture('png')))
	await expect(upload()).rejects.toMatchObject({ kind: 'quota-exceeded' })
	await age(path)
	await db().insertInto('projects').values({ user_id: mira.id, project_title: 'x', project_image: path }).execute()
	await expect(upload()).rejects.toMatchObject({ kind: 'quota-exceeded' })
	await db().deleteFrom('projects').execute()
	const stored = await upload()
	expect((await rows()).map((row) => row.path)).toEqual([stored.path])
})

test('a file above 5 MB is refused before it is decoded', async () => {
	await expect(storePicture(mira, 'profile', blob(Buffer.alloc(5 * 1024 * 1024 + 1)))).rejects.toThrow(
		'larger than 5 MB',
	)
	expect(await rows()).toEqual([])
})

test('the API names the formats that are accepted', async () => {
	const webp = await sharp(await picture('png'))
		.webp()
		.toBuffer()
	await expect(storePicture(mira, 'post', blob(webp))).rejects.toThrow('Invalid file type!')
	expect(pictureShapes.NewPicture.shape.data.meta()?.description).toBe(
		'The file in Base64: PNG or JPEG of at most 5 MB.',
	)
})

test.each([
	['nothing', '', null],
	['an own picture', 'own', 'own'],
])('a form that names %s is given %j', async (_what, sent, given) => {
	const { path } = await storePicture(mira, 'project', blob(await picture('png')))
	const form = new FormData()
	form.set('project_image', sent && path)
	expect(await pictureFromForm(mira, 'project', form, 'project_image')).toBe(given && path)
})

test.each<[string, PictureKind, () => Promise<string>, string]>([
	['a picture of somebody else', 'project', async () => (await stored(odalys)).path, 'belongs to somebody else'],
	['one of another kind', 'certificate', async () => (await stored(mira)).path, 'no longer exists'],
	['one that is not there', 'project', async () => `projects/mira/${'0'.repeat(32)}`, 'no longer exists'],
	['an address', 'project', async () => 'https://elsewhere.example/cat.png', 'no longer exists'],
	['a way out of the folder', 'project', async () => '../../auth-secret', 'no longer exists'],
])('a form that names %s is refused at the field', async (_what, kind, path, message) => {
	const form = new FormData()
	form.set('image', await path())
	await expect(pictureFromForm(mira, kind, form, 'image')).rejects.toMatchObject({
		status: 422,
		fields: { image: expect.stringContaining(message) },
	})
})

test('without JavaScript the form sends the file, and an invalid one is an error at the field', async () => {
	const form = new FormData()
	form.set('image', '')
	form.set('image_file', new File([new Uint8Array(await picture('png'))], 'cat.png'))
	expect(await pictureFromForm(mira, 'project', form, 'image')).toMatch(/^projects\/mira\//)
	form.set('image_file', new File(['<svg xmlns="http://www.w3.org/2000/svg"/>'], 'cat.png', { type: 'image/png' }))
	await expect(pictureFromForm(mira, 'project', form, 'image')).rejects.toMatchObject({
		fields: { image: 'Invalid file type!' },
	})
})

test('unused pictures are deleted with their files after an hour; used ones are not', async () => {
	const [shown, unused, fresh] = await Promise.all([stored(mira, 301), stored(mira, 302), stored(mira, 303)])
	await db().updateTable('users').set({ image: shown.path }).where('id', '=', mira.id).execute()
	await age(shown.path)
	await age(unused.path)
	expect(await sweepPictures()).toBe(1)
	expect([shown, unused, fresh].map(({ path }) => filesOf(path)[0])).toEqual([true, false, true])
	expect(await sweepPictures()).toBe(0)
})

test('a save that uses a picture wins against a concurrent sweep', async () => {
	const { path } = await stored(mira)
	await age(path)
	expect(await listUnusedPictures(10)).toEqual([path])
	let sweep: Promise<number> | undefined
	await db()
		.transaction()
		.execute(async (trx) => {
			await trx.updateTable('users').set({ image: path }).where('id', '=', mira.id).execute()
			// The sweep does not see the uncommitted save. It tries to delete the row and waits for this transaction.
			sweep = sweepPictures()
			await untilSomebodyWaits()
		})
	expect(await sweep).toBe(0)
	expect(filesOf(path)).toEqual([true, true, true])
	expect(await rows()).toHaveLength(1)
})

test('a form that names a picture renews it before the sweep', async () => {
	const { path } = await stored(mira)
	await age(path)
	expect(await listUnusedPictures(10)).toEqual([path])
	const form = new FormData()
	form.set('image', path)
	expect(await pictureFromForm(mira, 'project', form, 'image')).toBe(path)
	expect(await deleteUnusedPicture(path)).toBe(false)
	await age(path)
	expect(await deleteUnusedPicture(path)).toBe(true)
	await expect(pictureFromForm(mira, 'project', form, 'image')).rejects.toThrow('no longer exists')
})

test('uploading a picture again while its files are being removed waits, and stores it again', async () => {
	const { path } = await stored(mira)
	await db().deleteFrom('pictures').where('path', '=', path).execute()
	let again: Promise<PictureView> | undefined
	await db()
		.transaction()
		.execute(async (trx) => {
			expect(await cancelPictureRemoval(trx, path, { due: true })).toBe(true)
			again = stored(mira)
			await untilSomebodyWaits()
			for (const file of filePaths(path)) rmSync(file)
		})
	expect((await again)?.path).toBe(path)
	expect(filesOf(path)).toEqual([true, true, true])
	await makeDue()
	expect(await sweepPictures()).toBe(0)
})

test('an upload that was interrupted between files and row leaves nothing behind', async () => {
	const { path } = await stored(mira)
	// As after a crash: files, and the entry that was made before them.
	await db().deleteFrom('pictures').where('path', '=', path).execute()
	await schedulePictureRemoval(path)
	expect(await sweepPictures()).toBe(0)
	expect(filesOf(path)).toEqual([true, true, true])
	await makeDue()
	expect(await sweepPictures()).toBe(1)
	expect(filesOf(path)).toEqual([false, false, false])
})

test('a failing storage leaves no row without files', async () => {
	const blocked = join(config().dataDir, 'media', 'certificates', 'odalys')
	rmSync(blocked, { recursive: true, force: true })
	mkdirSync(dirname(blocked), { recursive: true })
	writeFileSync(blocked, 'a file where the folder would be')
	await expect(storePicture(odalys, 'certificate', blob(await picture('png')))).rejects.toThrow()
	expect(await rows()).toEqual([])
	rmSync(blocked)
	const { path } = await storePicture(odalys, 'certificate', blob(await picture('png')))
	expect(filesOf(path)).toEqual([true, true, true])
})

test('files that cannot be removed delay no other picture', async () => {
	const [stuck, other] = [await stored(mira), await stored(odalys)]
	const [, file = ''] = filePaths(stuck.path)
	rmSync(file)
	mkdirSync(join(file, 'in the way'), { recursive: true })
	await db().deleteFrom('pictures').where('path', '=', stuck.path).execute()
	await db().deleteFrom('pictures').where('path', '=', other.path).execute()
	await makeDue()
	await expect(sweepPictures()).rejects.toThrow()
	expect(filesOf(other.path)).toEqual([false, false, false])
	rmSync(file, { recursive: true })
	expect(await sweepPictures()).toBe(1)
	expect(filesOf(stuck.path)).toEqual([false, false, false])
})

test('uploading a deleted picture again keeps its files', async () => {
	const { path } = await stored(mira)
	await db().deleteFrom('pictures').where('path', '=', path).execute()
	await stored(mira)
	expect(await sweepPictures()).toBe(0)
	expect(filesOf(path)).toEqual([true, true, true])
})

test('deleting an account removes all of its pictures', async () => {
	const gone = await addMember('gone')
	const { path } = await stored(gone)
	await db().updateTable('users').set({ image: path }).where('id', '=', gone.id).execute()
	await db().deleteFrom('users').where('id', '=', gone.id).execute()
	await sweepPictures()
	expect(filesOf(path)).toEqual([false, false, false])
})

function blob(bytes: Buffer): Blob {
	return new Blob([new Uint8Array(bytes)])
}

async function stored(viewer: SignedIn, width = 300): Promise<PictureView> {
	return storePicture(viewer, 'project', blob(await picture('png', width, 200)))
}

function filesOf(path: string): boolean[] {
	return filePaths(path).map((file) => existsSync(file))
}

function filePaths(path: string): string[] {
	return widthsOf(path).map((width) => join(config().dataDir, 'media', `${path}-${width}.webp`))
}

function storedFiles(folder: string): number {
	const place = join(config().dataDir, 'media', folder)
	return existsSync(place) ? readdirSync(place).length : 0
}

/** Makes uploads an hour older, after which unused ones are deleted. */
async function makeDue(): Promise<void> {
	await db()
		.updateTable('forgotten_pictures')
		.set({ forgotten_at: new Date(Date.now() - 1_000) })
		.execute()
}

function rows() {
	return db().selectFrom('pictures').select('path').execute()
}

async function age(path: string): Promise<void> {
	const created_at = new Date(Date.now() - 61 * 60_000)
	await db().updateTable('pictures').set({ created_at }).where('path', '=', path).execute()
}

/** Adds a picture of this size. */
async function fill(viewer: SignedIn, bytes: number): Promise<void> {
	const path = `projects/${viewer.username}/${'f'.repeat(32)}`
	await db()
		.insertInto('pictures')
		.values({ path, user_id: viewer.id, kind: 'project', width: 9, height: 9, bytes, colour: '#000000' })
		.execute()
}

async function untilSomebodyWaits(): Promise<void> {
	await expect
		.poll(async () => {
			const { rows } = await sql<{
				waiting: boolean
			}>`select exists (select 1 from pg_locks where not granted) as waiting`.execute(db())
			return rows[0]?.waiting
		})
		.toBe(true)
}

async function addMember(username: string): Promise<SignedIn> {
	const values = { username, name: username, email: `${username}@campus.example`, image: null }
	const { id } = await db().insertInto('users').values(values).returning('id').executeTakeFirstOrThrow()
	await db()
		.insertInto('profiles')
		.values({ user_id: id, year_of_passing: null, current_semester: null, current_year: null })
		.execute()
	return { id, username, name: username, image: null, role: 'member' }
}
