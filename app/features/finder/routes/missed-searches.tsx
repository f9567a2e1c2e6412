import { ModerationFrame } from '~/features/moderation/components/moderation-frame.tsx'
import { requirePageModerator } from '~/features/moderation/members.server.ts'
import { newTermPath } from '~/features/vocabulary/vocabulary.view.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { pluralize } from '~/lib/text.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { searchPath } from '../finder.paths.ts'
import type { MissView } from '../finder.view.ts'
import { listMisses } from '../misses.server.ts'
import type { Route } from './+types/missed-searches'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => ({
		misses: await listMisses(await requirePageModerator({ request, context, url })),
	}))
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Searches without results', noindex: true })
}

export default function MissedSearches({ loaderData: { misses } }: Route.ComponentProps) {
	return (
		<ModerationFrame title="Searches without results">
			<p className="mt-4 max-w-[40rem] text-ink-2">
				What people searched for within 90 days and nothing matched. A word may be another name for a term, or a missing
				term. Who searched is not recorded.
			</p>
			{misses.length === 0 ? (
				<EmptyState title="Nothing recorded">Every search found something.</EmptyState>
			) : (
				<ul className="mt-3">
					{misses.map((miss) => (
						<Miss key={miss.words} miss={miss} />
					))}
				</ul>
			)}
		</ModerationFrame>
	)
}

function Miss({ miss: { words, searches, lastDay, isTerm } }: { miss: MissView }) {
	return (
		<li className="flex flex-wrap items-center gap-x-3 gap-y-2 border-b border-line py-2.5">
			<div className="min-w-0 flex-1 basis-48">
				<p className="font-semibold wrap-anywhere">{words}</p>
				<p className="meta">
					{pluralize(searches, 'search', 'searches')}, the last on <time dateTime={lastDay}>{lastDay}</time>
					{isTerm && ', a term by now'}
				</p>
			</div>
			<Link className="btn btn-sm btn-ghost" to={searchPath(words)} aria-label={`Search now: ${words}`}>
				Search now
			</Link>
			{!isTerm && (
				<Link className="btn btn-sm btn-outline" to={newTermPath(words)} aria-label={`Make a term: ${words}`}>
					Make a term
				</Link>
			)}
		</li>
	)
}
