import { getShareCard } from '../share-card.server.ts'
import type { Route } from './+types/share-card'

/** The preview picture of a shared link, open to everybody: it contains only what the public community list shows. */
export async function loader({ params, request }: Route.LoaderArgs) {
	const { tag, draw } = await getShareCard(params.username)
	const headers = { ETag: tag, 'Cache-Control': 'public, max-age=3600', 'X-Robots-Tag': 'noindex' }
	if (request.headers.get('If-None-Match')?.includes(tag)) return new Response(null, { status: 304, headers })
	return new Response(new Uint8Array(await draw()), { headers: { ...headers, 'Content-Type': 'image/png' } })
}
