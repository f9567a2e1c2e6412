import { Readable } from 'node:stream'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { NotFound } from '~/lib/errors.ts'
import { redirectWithToast, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { openArchive } from '../archive/archive.server.ts'
import { DATA_PATH } from '../privacy.limits.ts'
import type { Route } from './+types/archive'

/** Serves the viewer's archive to a confirmed session. Without one, leads back to the page that makes it. */
export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		await requireConfirmed(viewer, request, DATA_PATH)
		try {
			const archive = await openArchive(viewer)
			// Nobody reads the body of an answer to HEAD, so its file would stay open.
			if (request.method === 'HEAD') archive.file.destroy()
			return download(archive, `${viewer.username}.zip`)
		} catch (error) {
			if (!(error instanceof NotFound)) throw error
			return redirectWithToast(DATA_PATH, { type: 'error', message: error.message })
		}
	})
}

function download({ file, bytes }: { file: Readable; bytes: number }, name: string): Response {
	return new Response(Readable.toWeb(file) as ReadableStream, {
		headers: {
			'Content-Type': 'application/zip',
			'Content-Length': String(bytes),
			'Content-Disposition': `attachment; filename="${name}"`,
			'Cache-Control': 'private, no-store',
		},
	})
}
