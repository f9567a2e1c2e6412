import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { numberParam, requireLogin, withHttpErrors } from '~/platform/http/http.ts'
import { Inbox } from '../components/inbox.tsx'
import { listConversations } from '../inbox.server.ts'
import { searchOwnMessages } from '../search/search.server.ts'
import type { Route } from './+types/messages'

/**
 * The inbox: conversations, requests, and with `?q=` a search in the viewer's messages. `?before=` and `?requestsBefore=` page
 * through it.
 */
export function loader({ context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = requireLogin(context, url)
		const q = url.searchParams.get('q') ?? ''
		const before = numberParam(url.searchParams, 'before')
		if (q.trim() !== '') {
			await countUse('messageSearch', viewer)
			return { inbox: null, requests: null, q, from: before, found: await searchOwnMessages(viewer, q, before) }
		}
		const [inbox, requests] = await Promise.all([
			listConversations(viewer, { before }),
			listConversations(viewer, { requests: true, before: numberParam(url.searchParams, 'requestsBefore') }),
		])
		return { inbox, requests, q: '', from: null, found: null }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Messages', noindex: true })
}

export default function Messages({ loaderData }: Route.ComponentProps) {
	return (
		<Inbox data={loaderData}>
			<section className="grid place-items-center px-10 text-center max-md:hidden" aria-label="Conversation">
				<p className="text-ink-2">Choose a conversation, or find somebody in the community to start one.</p>
			</section>
		</Inbox>
	)
}
