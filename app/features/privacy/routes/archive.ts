import { Readable } from 'node:stream'
import { requireConfirmed } from '~/features/accounts/security/confirmation.server.ts'
import { answering, signedIn } from '~/platform/http/http.ts'
import { openArchive } from '../archive/archive.server.ts'
import { DATA_PATH } from '../privacy.limits.ts'
import type { Route } from './+types/archive'

/** Serves the viewer's archive to a confirmed session. */
export function loader({ request, context, url }: Route.LoaderArgs) {
	return answering(async () => {
		const viewer = signedIn(context, url)
		await requireConfirmed(viewer, request, DATA_PATH)
		const { file, bytes } = await openArchive(viewer)
		return new Response(Readable.toWeb(file) as ReadableStream, {
			headers: {
				'Content-Type': 'application/zip',
				'Content-Length': String(bytes),
				'Content-Disposition': `attachment; filename="${viewer.username}.zip"`,
				'Cache-Control': 'private, no-store',
			},
		})
	})
}
