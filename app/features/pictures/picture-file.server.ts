import { storage } from '~/platform/storage/storage.server.ts'

interface PictureFile {
	/** The file in the storage. */
	path: string
	/** Whom it may be kept by and for how long, as `Cache-Control` takes it. */
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
