import { viewerOf } from '~/lib/context.ts'
import { DomainError, isSiteFault, NotAllowed } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { isModerator } from '~/lib/viewer.ts'
import { readForm } from '~/platform/http/form.server.ts'
import { cropSchema } from '../encode.server.ts'
import { isShownTo } from '../pictures.queries.server.ts'
import { pictureNotFound, readersOfPostPicture, servePicture, storePicture, UploadRefused } from '../pictures.server.ts'
import { type PictureKind, pictureFolders, type UploadErrorKind, uploadErrors } from '../pictures.view.ts'
import type { Route } from './+types/media'

/** Matches `profiles/mira.quillon/{32 hex digits}-224.webp` only, so that no path leads out of the storage. */
const pictureFile =
	/^((profiles|certificates|projects|posts|logos)\/[a-z0-9_.-]+\/[0-9a-f]{32})-(?:96|224|320|512|640|1280)\.webp$/

const PUBLIC = 'public, max-age=31536000, immutable'
/** A browser that has it may keep it. A shared cache asks again after an hour, as it also answers people who have not seen it. */
const PUBLIC_OF_POST = 'public, max-age=31536000, s-maxage=3600, immutable'
const PRIVATE = 'private, no-store'

/**
 * Serves a picture. Those of profiles, and the logo, are public, those of posts while one that everybody may read shows them, or its history
 * does; those of certificates and projects are for whoever sees the item on the profile, its owner and moderators. Pictures of messages have
 * a route of their own.
 */
export async function loader({ params, context, request }: Route.LoaderArgs): Promise<Response> {
	const path = params['*'] ?? ''
	const [, picture, folder] = pictureFile.exec(path) ?? []
	if (!picture) return pictureNotFound()
	const viewer = viewerOf(context)
	if (folder === 'posts') {
		const readers = await readersOfPostPicture(viewer, picture)
		if (readers === 'others') return pictureNotFound()
		return servePicture(request, { path, caching: readers === 'everybody' ? PUBLIC_OF_POST : PRIVATE })
	}
	const open = folder === 'profiles' || folder === 'logos'
	if (!open && !isModerator(viewer) && !(await isShownTo(viewer?.id ?? null, picture)))
		return viewer ? pictureNotFound() : new Response('Log in to see this picture.', { status: 401 })
	return servePicture(request, { path, caching: open ? PUBLIC : PRIVATE })
}

/**
 * Stores a picture: a form with `kind`, `file` and optionally `crop` as JSON. Responds with `{ picture }`, or `{ error: { kind, message }
 * }` and the status of that kind.
 */
export async function action({ request, context, params }: Route.ActionArgs): Promise<Response> {
	if (params['*']) return new Response('Pictures are sent to /media.', { status: 405, headers: { Allow: 'GET, HEAD' } })
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

/** Whether members may upload this kind. */
function isKind(value: unknown): value is PictureKind {
	return typeof value === 'string' && Object.hasOwn(pictureFolders, value) && value !== 'logo'
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
