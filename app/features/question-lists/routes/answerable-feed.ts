import { config } from '~/config.server.ts'
import { readFeed } from '~/features/routing/answerable.server.ts'
import { ANSWER_PATH } from '~/features/routing/routing.view.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { siteName } from '~/platform/settings/site-name.server.ts'
import { atomFeed } from '../xml.server.ts'
import type { Route } from './+types/answerable-feed'

/** The questions that a member can answer, at a private address, as feed readers do not log in. */
export function loader({ url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const { publicUrl } = config()
		const feed = atomFeed({
			title: `You can answer these · ${siteName()}`,
			path: ANSWER_PATH,
			feedPath: url.pathname + url.search,
			publicUrl,
			questions: await readFeed(url.searchParams.get('key') ?? ''),
		})
		return new Response(feed, {
			headers: {
				'Content-Type': 'application/atom+xml; charset=utf-8',
				'Cache-Control': 'private, max-age=300',
				'X-Robots-Tag': 'noindex',
			},
		})
	})
}
