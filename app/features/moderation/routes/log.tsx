import { requirePageViewer } from '~/features/authenticators/staff-pages.server.ts'
import { withParams } from '~/lib/addresses.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { EmptyState } from '~/ui/empty-state.tsx'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { MoreLink } from '~/ui/more-link.tsx'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { useValueFromAddress } from '~/ui/use-shown-value.ts'
import { ModerationFrame } from '../components/moderation-frame.tsx'
import { MEMBER_SUBJECT } from '../moderation.policy.ts'
import type { LogView } from '../moderation.view.ts'
import { listLog } from '../queue.server.ts'
import type { Route } from './+types/log'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageViewer({ request, context, url })
		const member = url.searchParams.get('member') ?? ''
		const cursor = url.searchParams.get('cursor') || null
		return { member, cursor, page: await listLog(viewer, { member, cursor }) }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Moderation log', noindex: true })
}

export default function ModerationLog({ loaderData: { member, page } }: Route.ComponentProps) {
	const { rows, nextHref, loading, load } = useMore(page, (cursor) => withParams('/moderation/log', { member, cursor }))
	const field = useValueFromAddress(member)
	return (
		<ModerationFrame title="Moderation log">
			<Form className="mt-5 flex max-w-[26rem] gap-2" role="search">
				<label className="sr-only" htmlFor="member">
					Username
				</label>
				<input ref={field} className="input" id="member" name="member" defaultValue={member} placeholder="Username" />
				<button className="btn btn-outline" type="submit">
					Show
				</button>
			</Form>
			{rows.length === 0 ? (
				<EmptyState title="Nothing recorded">
					{member ? `There are no entries by or about “${member}”.` : null}
				</EmptyState>
			) : (
				<ol className="mt-4">
					{withoutDuplicates(rows, ({ id }) => id).map((row) => (
						<Entry key={row.id} row={row} />
					))}
				</ol>
			)}
			{nextHref && (
				<p className="mt-6">
					<MoreLink href={nextHref} loading={loading} load={load}>
						Load older entries
					</MoreLink>
				</p>
			)}
		</ModerationFrame>
	)
}

function Entry({ row }: { row: LogView }) {
	return (
		<li className="border-b border-line py-3 text-sm wrap-anywhere">
			<p>
				<Who username={row.actor.username} /> <span className="font-semibold">{row.act}</span>
				{row.note && ` ${row.note}`}:{' '}
				<Link className="link" to={row.caseUrl}>
					{/* The title of an erased subject is gone, too. */}
					{row.title || `a ${row.kind}`}
				</Link>{' '}
				{row.member.username !== row.actor.username && (
					<span className="text-ink-3">
						{row.kind === MEMBER_SUBJECT ? '' : 'of '}
						<Who username={row.member.username} />
					</span>
				)}
			</p>
			{row.why && <p className="mt-0.5 text-ink-2">{row.why}</p>}
			<p className="meta mt-1">
				<LocalTime at={row.at} />
			</p>
		</li>
	)
}

function Who({ username }: { username: string }) {
	return (
		<Link className="quiet-link font-mono text-xs" to={withParams('/moderation/log', { member: username })}>
			@{username}
		</Link>
	)
}
