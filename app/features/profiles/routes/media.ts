import { viewerOf } from '~/lib/context.ts'
import { storage } from '~/storage/storage.server.ts'
import type { Route } from './+types/media'

/** `profiles/mira.quillon/{32 hex digits}-224.webp`, and nothing that could lead out of the storage. */
const file = /^(profiles|certificates|projects|posts)\/[a-z0-9_.-]+\/([0-9a-f]{32}-(?:96|224|320|512|640|1280))\.webp$/

/**
 * The file of a picture. Its name holds the hash of what it was made from, so it never changes. Profile pictures and those of
 * the forum's texts stand on open pages; certificates and projects are shown to members, and so are their pictures.
 */
export async function loader({ params, context, request }: Route.LoaderArgs): Promise<Response> {
	const path = params['*'] ?? ''
	const [, folder, name] = file.exec(path) ?? []
	if (!name) return missing()
	const open = folder === 'profiles' || folder === 'posts'
	if (!open && !viewerOf(context)) return new Response('Log in to see this picture.', { status: 401 })
	const tag = `"${name}"`
	const headers = {
		'Content-Type': 'image/webp',
		'Cache-Control': `${open ? 'public' : 'private'}, max-age=31536000, immutable`,
		ETag: tag,
	}
	// A proxy that compresses makes the tag a weak one: W/"…".
	if (request.headers.get('If-None-Match')?.includes(tag)) return new Response(null, { status: 304, headers })
	// A few hundred KB at most, so nothing has to be streamed, and its length is known.
	const bytes = await (await storage()).read(path)
	if (!bytes) return missing()
	return new Response(bytes, { headers: { ...headers, 'Content-Length': String(bytes.length) } })
}

function missing(): Response {
	return new Response('There is no such picture.', { status: 404 })
}
