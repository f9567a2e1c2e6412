import { db } from '~/db/db.server.ts'
import { DomainError, Invalid } from '~/lib/errors.ts'
import { largestPicture, type PictureKind, pictureFolders, picturePath, widthsOf } from '~/lib/picture-paths.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { storage } from '~/storage/storage.server.ts'
import { pictureRefusals, type UploadErrorKind, uploadErrors } from './picture-errors.ts'
import { type Crop, digestOf, readPicture } from './picture-gate.server.ts'
import {
	deletePicture,
	findPicture,
	insertPicture,
	listForgottenPictures,
	listUnusedPictures,
	lockPictures,
	type PictureRow,
	removeForgotten,
	renewPicture,
	sumPictureBytes,
} from './pictures.queries.server.ts'
import type { PictureView } from './profiles.present.ts'

/** What a member's pictures may take, all of their files together: 50 MB. */
const quota = 50 * 1024 * 1024

/** How many pictures one round of the sweep looks at. */
const mostSwept = 500

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
 * Takes a picture in: checks it, encodes it anew, stores its files and notes it as the viewer's. Sending it again gives
 * the same picture and costs nothing. It lasts an hour, and then as long as something shows it.
 * @param crop the part to keep, in pixels of the upright picture
 * @throws Invalid when it is no picture we take; UploadRefused when the quota is used up; TooMany
 */
export async function storePicture(
	viewer: SignedIn,
	kind: PictureKind,
	file: Blob,
	crop: Crop | null = null,
): Promise<PictureView> {
	if (file.size > largestPicture) throw new Invalid(pictureRefusals.bytes)
	const bytes = Buffer.from(await file.arrayBuffer())
	const path = `${pictureFolders[kind]}/${viewer.username}/${digestOf(bytes, crop)}`
	const known = await findPicture(path)
	if (!known && (await sumPictureBytes(db(), viewer.id)) >= quota) throw new UploadRefused('quota-exceeded')
	const picture = await readPicture(bytes, kind, crop)
	const size = picture.files.reduce((sum, { data }) => sum + data.length, 0)
	return db()
		.transaction()
		.execute(async (trx) => {
			await lockPictures(trx, viewer.username)
			const before = await findPicture(path, trx)
			if (before) {
				await renewPicture(trx, path)
				return presentPicture(before)
			}
			if ((await sumPictureBytes(trx, viewer.id)) + size > quota) throw new UploadRefused('quota-exceeded')
			// The files come first: a picture that the database knows is always there.
			const files = await storage()
			for (const { width, data } of picture.files) await files.put(`${path}-${width}.webp`, data, 'image/webp')
			const row = { path, kind, width: picture.width, height: picture.height, colour: picture.colour }
			await insertPicture(trx, { ...row, user_id: viewer.id, bytes: size })
			return presentPicture(row)
		})
}

/**
 * The picture that a form names: the field `name` holds the path of one that was uploaded before, or nothing. A file in
 * `{name}_file`, as a form without JavaScript sends it, is stored and wins.
 * @returns its path, or null for none
 * @throws Invalid at the field when the file or the path is refused
 */
export async function pictureFromForm(
	viewer: SignedIn,
	kind: PictureKind,
	form: FormData,
	name: string,
): Promise<string | null> {
	const file = form.get(`${name}_file`)
	try {
		if (file instanceof Blob && file.size > 0) return (await storePicture(viewer, kind, file)).path
	} catch (error) {
		if (!(error instanceof DomainError)) throw error
		throw new Invalid(error.message, { [name]: error.message })
	}
	const path = form.get(name)
	if (typeof path !== 'string' || path === '') return null
	const picture = picturePath.test(path) ? await findPicture(path) : undefined
	if (picture?.user_id === viewer.id && picture.kind === kind) return path
	const { message } = uploadErrors[picture ? 'unauthorized' : 'object-not-found']
	throw new Invalid(message, { [name]: message })
}

/** What pages are told of a picture. */
export function presentPicture({ path, width, height, colour }: Omit<PictureRow, 'kind'>): PictureView {
	return { path, width, height, colour }
}

/**
 * Forgets the pictures that nothing has shown for an hour, then removes the files of all that were forgotten. A picture
 * that something shows cannot be forgotten: the database refuses. What an interruption leaves is removed the next time.
 * @returns how many pictures' files were removed
 */
export async function sweepPictures(): Promise<number> {
	for (const path of await listUnusedPictures(mostSwept)) await deletePicture(path)
	let removed = 0
	for (const path of await listForgottenPictures(mostSwept)) {
		const username = picturePath.exec(path)?.[2] ?? ''
		await db()
			.transaction()
			.execute(async (trx) => {
				await lockPictures(trx, username)
				// Sent again since it was forgotten: the files are in use.
				if (!(await findPicture(path, trx))) removed += await removeFiles(path)
				await removeForgotten(trx, path)
			})
	}
	return removed
}

async function removeFiles(path: string): Promise<1> {
	const files = await storage()
	for (const width of widthsOf(path)) await files.remove(`${path}-${width}.webp`)
	return 1
}
