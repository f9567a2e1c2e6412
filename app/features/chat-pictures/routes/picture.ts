import { sessionOf } from '~/features/accounts/viewer.server.ts'
import { pictureNotFound, servePicture } from '~/features/pictures/pictures.server.ts'
import { maySeePicture } from '../chat-pictures.server.ts'
import type { Route } from './+types/picture'

/** Matches `mira.quillon/{32 hex digits}-640.webp` only, so that no path leads out of the storage. */
const file = /^([a-z0-9_.-]+\/[0-9a-f]{32})-(?:320|640|1280)\.webp$/

/**
 * Serves a picture of a message to those who may read the message, 404 to anybody else. Each request checks session and message, so that a
 * logout or a deletion takes effect at once.
 */
export async function loader({ params, request }: Route.LoaderArgs): Promise<Response> {
	const name = params['*'] ?? ''
	const [, picture] = file.exec(name) ?? []
	if (!picture) return pictureNotFound()
	const session = await sessionOf(request)
	if (!session || !(await maySeePicture(session.viewer, `messages/${picture}`))) return pictureNotFound()
	return servePicture(request, { path: `messages/${name}`, caching: 'private, no-store' })
}
