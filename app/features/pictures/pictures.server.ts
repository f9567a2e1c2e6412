import { randomBytes } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { DomainError, Invalid, isSiteFault } from '~/lib/errors.ts'
import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { BatchRun } from '~/platform/jobs/batch-run.server.ts'
import { FORMER_MEMBER } from '~/platform/member-data.ts'
import { storage } from '~/platform/storage/storage.server.ts'
import { type Crop, encodePicture, pictureDigest } from './encode.server.ts'
import {
	cancelPictureRemoval,
	deleteUnusedPicture,
	findPicture,
	insertPicture,
	isShownInPost,
	listForgottenPictures,
	listUnusedPictures,
	lockPictures,
	type NewPicture,
	type PictureRow,
	renewPicture,
	schedulePictureRemoval,
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

/** Storage per member for all files of their pictures: 50 MB. */
const QUOTA_BYTES = 50 * 1024 * 1024

const BATCH_SIZE = 500

/** A refused upload, with a reason that the browser knows. */
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
 * Checks, encodes and stores a picture of the viewer. Storing the same picture again is cheap and returns the same one, but for a post.
 * An unused picture is kept for an hour, that of a post for a day.
 * @param crop the part to keep, in pixels of the upright picture
 * @throws NotAllowed for a suspended member; Invalid if it is not an accepted format; UploadRefused if the quota is exceeded; TooManyRequests
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
	const path = pathOf(viewer, kind, pictureDigest(bytes, crop))
	const known = await renewPicture(path)
	if (known) return presentPicture(known)
	const ownerId = ownerOf(viewer, kind)
	await makeRoom(ownerId, 1)
	const picture = await encodePicture(bytes, kind, crop, viewer.username)
	const size = picture.files.reduce((sum, { data }) => sum + data.length, 0)
	await makeRoom(ownerId, size)
	// Registered for removal until its row exists, so that a failure leaves no files behind.
	await schedulePictureRemoval(path)
	const files = await storage()
	for (const { width, data } of picture.files) await files.put(`${path}-${width}.webp`, data, 'image/webp')
	const { width, height, colour } = picture
	return notePicture({ path, kind, width, height, colour, bytes: size, user_id: ownerId })
}

/**
 * The path of a picture. That of a post is random, as the post may be under a pseudonym: it reveals neither the sender, nor that they
 * uploaded the same picture for another post.
 */
function pathOf(viewer: SignedIn, kind: PictureKind, digest: string): string {
	const folder = pictureFolders[kind]
	if (kind === 'logo') return `${folder}/-/${digest}`
	if (kind !== 'post') return `${folder}/${viewer.username}/${digest}`
	return `${folder}/-/${randomBytes(16).toString('hex')}`
}

/** The owner of a picture. The logo belongs to an account that is never deleted, as it must survive the admin who uploaded it. */
function ownerOf(viewer: SignedIn, kind: PictureKind): number {
	return kind === 'logo' ? FORMER_MEMBER : viewer.id
}

/** Inserts the row of a stored picture. Serialized per member, so that concurrent uploads cannot exceed the quota. */
function notePicture(picture: NewPicture): Promise<PictureView> {
	return db()
		.transaction()
		.execute(async (trx) => {
			if (!(await lockPictures(trx, picture.user_id))) throw new UploadRefused('unauthenticated')
			const expected = await cancelPictureRemoval(trx, picture.path)
			const twin = await findPicture(picture.path, trx)
			if (twin) return presentPicture(twin)
			// Storing took so long that the sweep has removed the files.
			if (!expected) throw new UploadRefused('unknown')
			await requireQuota(picture.user_id, picture.bytes, trx)
			await insertPicture(trx, picture)
			return presentPicture(picture)
		})
}

/** Deletes, if the quota would be exceeded, what the next sweep will delete anyway. @throws UploadRefused if that is not enough */
async function makeRoom(ownerId: number, bytes: number): Promise<void> {
	if (await isWithinQuota(ownerId, bytes)) return
	for (const path of await listUnusedPictures(BATCH_SIZE, { ownerId })) await deleteUnusedPicture(path)
	await requireQuota(ownerId, bytes)
}

async function isWithinQuota(ownerId: number, bytes: number, executor: Executor = db()): Promise<boolean> {
	return (await sumPictureBytes(executor, ownerId)) + bytes <= QUOTA_BYTES
}

async function requireQuota(ownerId: number, bytes: number, executor: Executor = db()): Promise<void> {
	if (!(await isWithinQuota(ownerId, bytes, executor))) throw new UploadRefused('quota-exceeded')
}

/**
 * The picture of a form: `name` holds the path of an earlier upload, or is empty. A file in `{name}_file`, sent by a form without
 * JavaScript, is stored and takes precedence.
 * @returns its path, or null for none
 * @throws NotAllowed for a suspended member; Invalid at the field if the file or the path is refused
 */
export async function pictureFromForm(
	viewer: SignedIn,
	kind: PictureKind,
	form: FormData,
	name: string,
): Promise<string | null> {
	// Renewing the form's picture is a write too.
	await requireMayWrite(viewer.id)
	const sent = await pictureFromFile(viewer, kind, form, name)
	if (sent) return sent.path
	const path = form.get(name)
	if (typeof path !== 'string' || path === '') return null
	const picture = picturePath.test(path) ? await findPicture(path) : undefined
	// Renewed, so that the sweep cannot delete it before a form that was open for hours is saved.
	if (picture?.user_id === viewer.id && picture.kind === kind && (await renewPicture(path))) return path
	const { message } = uploadErrors[picture && picture.user_id !== viewer.id ? 'unauthorized' : 'object-not-found']
	throw new Invalid(message, { [name]: message })
}

/**
 * Stores the file in the form field `{name}_file`; null without one.
 * @throws NotAllowed for a suspended member; Invalid at the field `name` if the file is refused
 */
export async function pictureFromFile(
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
 * Deletes pictures that were unused for an hour or a day, then removes their files. Foreign keys protect pictures in use. The next run
 * continues after an interruption, and tries again what failed.
 * @returns the number of pictures whose files were removed
 * @throws the last error, once all others are removed
 */
export async function sweepPictures(): Promise<number> {
	const run = new BatchRun<string>('a picture that nobody needs could not be removed')
	await inBatches(run, listUnusedPictures, deleteUnusedPicture)
	const removed = await inBatches(run, listForgottenPictures, removeForgottenFiles)
	run.finish()
	return removed
}

/** Repeats until a batch is not full, or nothing of it was done. @returns the number of processed items */
async function inBatches(
	run: BatchRun<string>,
	list: (limit: number, options: { except: readonly string[] }) => Promise<string[]>,
	work: (path: string) => Promise<boolean>,
): Promise<number> {
	let done = 0
	for (;;) {
		const before = done
		const paths = await list(BATCH_SIZE, { except: run.failed })
		const count = async (path: string) => {
			if (await work(path)) done += 1
		}
		await run.each(paths, (path) => path, count)
		if (paths.length < BATCH_SIZE || done === before) return done
	}
}

/** A concurrent upload of the same picture waits for the removal, and then stores the files again. */
function removeForgottenFiles(path: string): Promise<boolean> {
	return db()
		.transaction()
		.execute(async (trx) => {
			if (!(await cancelPictureRemoval(trx, path, { due: true }))) return false
			if (await findPicture(path, trx)) return false
			const files = await storage()
			for (const width of widthsOf(path)) await files.remove(`${path}-${width}.webp`)
			return true
		})
}

/** How long a picture that a published post showed counts as public, in milliseconds: so most cost no statement each time. */
const SHOWN_FOR_MS = 60_000
/** The pictures that published posts showed lately, with the time as of `Date.now()` until which that counts. */
const shownInPosts = new LRUCache<string, number>({ max: 5_000 })

/**
 * Who may see a picture of a post: everybody while a post that everybody may read shows it, or its history does; else its owner and
 * moderators. One that a moderator hid, or its author deleted, is public for a minute more.
 */
export async function readersOfPostPicture(
	viewer: Viewer,
	path: string,
): Promise<'everybody' | 'this viewer' | 'others'> {
	if ((shownInPosts.get(path) ?? 0) > Date.now()) return 'everybody'
	if (await isShownInPost(path)) {
		shownInPosts.set(path, Date.now() + SHOWN_FOR_MS)
		return 'everybody'
	}
	const isTheirs = viewer !== null && (isModerator(viewer) || (await findPicture(path))?.user_id === viewer.id)
	return isTheirs ? 'this viewer' : 'others'
}

interface PictureFile {
	/** The file in the storage. */
	path: string
	/** The `Cache-Control` header. */
	caching: string
}

/** Serves the file of a picture; the caller checks permissions. A file never changes under its name, so it is immutable. */
export async function servePicture(request: Request, { path, caching }: PictureFile): Promise<Response> {
	// The name consists of 32 hex digits and a width, see the routes; no part of it comes from the upload.
	const name = path.slice(path.lastIndexOf('/') + 1)
	const tag = `"${name.slice(0, -'.webp'.length)}"`
	const headers = {
		'Content-Type': 'image/webp',
		'Content-Disposition': `inline; filename="${name}"`,
		'Cache-Control': caching,
		ETag: tag,
	}
	// A compressing proxy turns the ETag into a weak one: W/"…".
	if (request.headers.get('If-None-Match')?.includes(tag)) return new Response(null, { status: 304, headers })
	// At most a few hundred KB, so it is not streamed and its length is known.
	const bytes = await (await storage()).read(path)
	if (!bytes) return pictureNotFound()
	return new Response(bytes, { headers: { ...headers, 'Content-Length': String(bytes.length) } })
}

/** The same 404 for a missing picture and one that the reader may not see. */
export function pictureNotFound(): Response {
	return new Response('There is no such picture.', { status: 404, headers: { 'Cache-Control': 'private, no-store' } })
}
