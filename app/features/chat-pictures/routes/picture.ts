import { sessionOf } from '~/features/accounts/accounts.server.ts'
import { noPicture, servePicture } from '~/features/pictures/pictures.server.ts'
import { maySeePicture } from '../chat-pictures.server.ts'
import type { Route } from './+types/picture'

/** `mira.quillon/{32 hex digits}-640.webp`, and nothing that could lead out of the storage. */
const file = /^([a-z0-9_.-]+\/[0-9a-f]{32})-(?:320|640|1280)\.webp$/

/**
 * The file of a message's picture, for those who may read the message. Session and message are looked at each time, so that
 * a logout and a deletion count at once; to anybody else there is no such picture.
 */
export async function loader({ params, request }: Route.LoaderArgs): Promise<Response> {
	const name = params['*'] ?? ''
	const [, picture] = file.exec(name) ?? []
	if (!picture) return noPicture()
	const session = await sessionOf(request)
	if (!session || !(await maySeePicture(session.viewer, `messages/${picture}`))) return noPicture()
	return servePicture(request, { path: `messages/${name}`, caching: 'private, no-store' })
}
