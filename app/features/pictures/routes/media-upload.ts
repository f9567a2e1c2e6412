import { viewerOf } from '~/lib/context.ts'
import { DomainError, isSiteFault, NotAllowed } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { type PictureKind, pictureFolders } from '~/lib/picture-paths.ts'
import { readForm } from '~/platform/http/http.ts'
import { cropSchema } from '../encode.server.ts'
import { storePicture, UploadRefused } from '../pictures.server.ts'
import { type UploadErrorKind, uploadErrors } from '../pictures.view.ts'
import type { Route } from './+types/media-upload'

/**
 * Takes in one picture: a form with `kind`, `file` and, for a part of it, `crop` as JSON. Answers `{ picture }`, or
 * `{ error: { kind, message } }` with the status of its kind.
 */
export async function action({ request, context }: Route.ActionArgs): Promise<Response> {
	const viewer = viewerOf(context)
	if (!viewer) return failure('unauthenticated')
	try {
		const form = await readForm(request).catch(() => null)
		const kind = form?.get('kind')
		const file = form?.get('file')
		if (!isKind(kind) || !(file instanceof Blob)) return failure('invalid-argument')
		return Response.json({ picture: await storePicture(viewer, kind, file, cropOf(form?.get('crop'))) })
	} catch (error) {
		if (error instanceof UploadRefused) return failure(error.kind)
		if (isSiteFault(error)) return failure('unknown', error.message, error.status)
		if (error instanceof NotAllowed) return failure('unauthorized', error.message)
		if (error instanceof DomainError)
			return failure('invalid-argument', error.message, error.status === 429 ? 429 : 400)
		log.error({ err: error }, 'a picture could not be stored')
		return failure('unknown')
	}
}

/** There is nothing to see here. */
export function loader(): Response {
	return new Response('There is no such picture.', { status: 404 })
}

function isKind(value: unknown): value is PictureKind {
	return typeof value === 'string' && Object.hasOwn(pictureFolders, value)
}

function cropOf(text: unknown) {
	if (typeof text !== 'string') return null
	try {
		return cropSchema.parse(JSON.parse(text))
	} catch {
		throw new UploadRefused('invalid-argument')
	}
}

function failure(
	kind: UploadErrorKind,
	message: string = uploadErrors[kind].message,
	status: number = uploadErrors[kind].status,
): Response {
	return Response.json({ error: { kind, message } }, { status })
}
