import { withHttpErrors } from '~/platform/http/http.ts'
import { getMemberFeed } from '../posts.server.ts'
import type { Route } from './+types/member-feed'

/** A member's posts under their own name, for feed readers, which do not log in. */
export function loader({ params }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const feed = await getMemberFeed(params.username)
		return new Response(feed, {
			headers: {
				'Content-Type': 'application/atom+xml; charset=utf-8',
				'Cache-Control': 'public, max-age=300',
				'X-Robots-Tag': 'noindex',
			},
		})
	})
}
