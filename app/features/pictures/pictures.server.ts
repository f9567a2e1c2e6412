import { createHmac } from 'node:crypto'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { DomainError, Invalid, isSiteFault } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { authSecret } from '~/platform/encryption.server.ts'
import { FORMER_MEMBER } from '~/platform/member-data.ts'
import { storage } from '~/platform/storage/storage.server.ts'
import { type Crop, digestOf, readPicture } from './encode.server.ts'
import {
	deleteUnusedPicture,
	expectPicture,
	findPicture,
	insertPicture,
	listForgottenPictures,
	listUnusedPictures,
	lockPictures,
	type NewPicture,
	type PictureRow,
	renewPicture,
	strikeForgotten,
	sumPictureBytes,
} from './pictures.queries.server.ts'
import {
	MAX_PICTURE_BYTES,
	type PictureKind,
	type PictureView,
	pictureFolders,
	picturePath,
	pictureRefusals,
	type UploadErrorKind,
	uploadErrors,
	widthsOf,
} from './pictures.view.ts'

/** What a member's pictures may take, all of their files together: 50 MB. */
const quota = 50 * 1024 * 1024

/** How many pictures the sweep lists at once. */
const roundOf = 500

/** An upload that was refused, by one of the kinds that the browser knows. */
export class UploadRefused extends DomainError {
	readonly kind: UploadErrorKind
	get status() {
		return uploadErrors[this.kind].status
	}
	constructor(kind: UploadErrorKind) {
		super(uploadErrors[kind].message)
		this.kind = kind
	}
}

/**
 * Takes a picture in: checks it, encodes it again, stores its files and notes it as the viewer's. Sending it again gives
 * the same picture and costs nothing. It lasts an hour, one for a text a day, and then as long as something shows it.
 * @param crop the part to keep, in pixels of the upright picture
 * @throws NotAllowed for a suspended member; Invalid when it is no picture we take; UploadRefused when the quota is used up; TooMany
 */
export async function storePicture(
	viewer: SignedIn,
	kind: PictureKind,
	file: Blob,
	crop: Crop | null = null,
): Promise<PictureView> {
	await requireMayWrite(viewer.id)
	if (file.size > MAX_PICTURE_BYTES) throw new Invalid(pictureRefusals.bytes)
	const bytes = Buffer.from(await file.arrayBuffer())
	const path = pathOf(viewer, kind, digestOf(bytes, crop))
	const known = await renewPicture(path)
	if (known) return presentPicture(known)
	const ownerId = ownerOf(viewer, kind)
	await checkQuota(ownerId, 1)
	const picture = await readPicture(bytes, kind, crop, viewer.username)
	const size = picture.files.reduce((sum, { data }) => sum + data.length, 0)
	await checkQuota(ownerId, size)
	// Until its row is there the picture counts as forgotten, so whatever happens from here on, its files do not stay behind.
	await expectPicture(path)
	const files = await storage()
	for (const { width, data } of picture.files) await files.put(`${path}-${width}.webp`, data, 'image/webp')
	const { width, height, colour } = picture
	return notePicture({ path, kind, width, height, colour, bytes: size, user_id: ownerId })
}

/**
 * Where a picture is stored. That of a text names nobody, as the text may be a pseudonym's: its hash tells neither who sent it nor
 * what was sent.
 */
function pathOf(viewer: SignedIn, kind: PictureKind, digest: string): string {
	const folder = pictureFolders[kind]
	if (kind === 'logo') return `${folder}/-/${digest}`
	if (kind !== 'post') return `${folder}/${viewer.username}/${digest}`
	const hash = createHmac('sha256', authSecret()).update(`picture:${viewer.id}:${digest}`).digest('hex')
	return `${folder}/-/${hash.slice(0, 32)}`
}

/** Whose picture it is. The logo stays when the admin who chose it leaves, so it belongs to the account that nobody deletes. */
function ownerOf(viewer: SignedIn, kind: PictureKind): number {
	return kind === 'logo' ? FORMER_MEMBER : viewer.id
}

/** Notes a picture whose files are stored. Of a member's uploads one at a time comes here, so together they keep the quota. */
function notePicture(picture: NewPicture): Promise<PictureView> {
	return db()
		.transaction()
		.execute(async (trx) => {
			if (!(await lockPictures(trx, picture.user_id))) throw new UploadRefused('unauthenticated')
			const expected = await strikeForgotten(trx, picture.path)
			const twin = await findPicture(picture.path, trx)
			if (twin) return presentPicture(twin)
			// Storing took so long that the sweep came by.
			if (!expected) throw new UploadRefused('unknown')
			await checkQuota(picture.user_id, picture.bytes, trx)
			await insertPicture(trx, picture)
			return presentPicture(picture)
		})
}

async function checkQuota(ownerId: number, bytes: number, executor: Executor = db()): Promise<void> {
	if ((await sumPictureBytes(executor, ownerId)) + bytes > quota) throw new UploadRefused('quota-exceeded')
}

/**
 * The picture that a form names: the field `name` holds the path of one that was uploaded before, or nothing. A file in
 * `{name}_file`, as a form without JavaScript sends it, is stored and wins.
 * @returns its path, or null for none
 * @throws NotAllowed for a suspended member; Invalid at the field when the file or the path is refused
 */
export async function pictureFromForm(
	viewer: SignedIn,
	kind: PictureKind,
	form: FormData,
	name: string,
): Promise<string | null> {
	// A picture that the form names is renewed, which is a change, too.
	await requireMayWrite(viewer.id)
	const sent = await pictureOfFile(viewer, kind, form, name)
	if (sent) return sent.path
	const path = form.get(name)
	if (typeof path !== 'string' || path === '') return null
	const picture = picturePath.test(path) ? await findPicture(path) : undefined
	// A form that was open for hours may come together with the sweep: renewed, the picture outlasts the save.
	if (picture?.user_id === viewer.id && picture.kind === kind && (await renewPicture(path))) return path
	const { message } = uploadErrors[picture && picture.user_id !== viewer.id ? 'unauthorized' : 'object-not-found']
	throw new Invalid(message, { [name]: message })
}

/**
 * Stores the file that a form brought in `{name}_file`; null where it brought none.
 * @throws NotAllowed for a suspended member; Invalid at the field `name` when the file is refused
 */
export async function pictureOfFile(
	viewer: SignedIn,
	kind: PictureKind,
	form: FormData,
	name: string,
): Promise<PictureView | null> {
	const file = form.get(`${name}_file`)
	if (!(file instanceof Blob) || file.size === 0) return null
	try {
		return await storePicture(viewer, kind, file)
	} catch (error) {
		if (!(error instanceof DomainError) || isSiteFault(error)) throw error
		const message = kind === 'logo' && error.message === pictureRefusals.type ? pictureRefusals.logo : error.message
		throw new Invalid(message, { [name]: message })
	}
}

/** A picture as pages see it. */
function presentPicture({ path, width, height, colour }: PictureRow): PictureView {
	return { path, width, height, colour }
}

/**
 * Forgets the pictures that nothing has shown for an hour or a day, then removes the files of all that were forgotten. A picture
 * that something shows cannot be forgotten: the database refuses. What an interruption leaves is removed the next time.
 * @returns how many pictures' files were removed
 */
export async function sweepPictures(): Promise<number> {
	await inRounds(listUnusedPictures, deleteUnusedPicture)
	return inRounds(listForgottenPictures, removeForgottenFiles)
}

/** Works through a list until a round is not full any more. @returns how many were done */
async function inRounds(
	list: (limit: number) => Promise<string[]>,
	work: (path: string) => Promise<boolean>,
): Promise<number> {
	let done = 0
	for (;;) {
		let doneNow = 0
		for (const path of await list(roundOf)) if (await work(path)) doneNow += 1
		done += doneNow
		if (doneNow < roundOf) return done
	}
}

/** An upload of the same picture waits until the files are gone, and then stores them again. */
function removeForgottenFiles(path: string): Promise<boolean> {
	return db()
		.transaction()
		.execute(async (trx) => {
			if (!(await strikeForgotten(trx, path, { due: true }))) return false
			if (await findPicture(path, trx)) return false
			const files = await storage()
			for (const width of widthsOf(path)) await files.remove(`${path}-${width}.webp`)
			return true
		})
}

interface PictureFile {
	/** The file in the storage. */
	path: string
	/** Which caches may store it and for how long, as `Cache-Control` takes it. */
	caching: string
}

/** Answers with the file of a picture, to somebody who may see it. Its name holds a hash, so it never changes. */
export async function servePicture(request: Request, { path, caching }: PictureFile): Promise<Response> {
	// Made by us of a hash and a width, see the routes: nothing of what the file was called when it came.
	const name = path.slice(path.lastIndexOf('/') + 1)
	const tag = `"${name.slice(0, -'.webp'.length)}"`
	const headers = {
		'Content-Type': 'image/webp',
		'Content-Disposition': `inline; filename="${name}"`,
		'Cache-Control': caching,
		ETag: tag,
	}
	// A proxy that compresses makes the tag a weak one: W/"…".
	if (request.headers.get('If-None-Match')?.includes(tag)) return new Response(null, { status: 304, headers })
	// A few hundred KB at most, so nothing has to be streamed, and its length is known.
	const bytes = await (await storage()).read(path)
	if (!bytes) return noPicture()
	return new Response(bytes, { headers: { ...headers, 'Content-Length': String(bytes.length) } })
}

/** The answer where there is no picture, or none for this reader. */
export function noPicture(): Response {
	return new Response('There is no such picture.', { status: 404, headers: { 'Cache-Control': 'private, no-store' } })
}
