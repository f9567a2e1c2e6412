import { viewerOf } from '~/lib/context.ts'
import { noPicture, servePicture } from '../picture-file.server.ts'
import type { Route } from './+types/media'

/** `profiles/mira.quillon/{32 hex digits}-224.webp`, and nothing that could lead out of the storage. */
const file = /^(profiles|certificates|projects|posts)\/[a-z0-9_.-]+\/[0-9a-f]{32}-(?:96|224|320|512|640|1280)\.webp$/

/**
 * The file of a picture. Profile pictures and those of the forum's texts stand on open pages; certificates and projects are
 * shown to members, and so are their pictures. Those of messages have a route of their own.
 */
export async function loader({ params, context, request }: Route.LoaderArgs): Promise<Response> {
	const path = params['*'] ?? ''
	const [, folder] = file.exec(path) ?? []
	if (!folder) return noPicture()
	const open = folder === 'profiles' || folder === 'posts'
	if (!open && !viewerOf(context)) return new Response('Log in to see this picture.', { status: 401 })
	return servePicture(request, { path, caching: open ? 'public, max-age=31536000, immutable' : 'private, no-store' })
}
