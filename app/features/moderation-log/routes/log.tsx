import { requirePageViewer } from '~/features/accounts/viewer.server.ts'
import { ModerationFrame } from '~/features/moderation/components/moderation-frame.tsx'
import { MEMBER_SUBJECT } from '~/features/moderation/moderation.policy.ts'
import { withParams } from '~/lib/addresses.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Field, Select } from '~/ui/field.tsx'
import { FilterForm } from '~/ui/filter-form.tsx'
import { Link } from '~/ui/link.tsx'
import { EmptyState } from '~/ui/list-states.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { MoreLink } from '~/ui/more-link.tsx'
import { useValueFromAddress } from '~/ui/use-from-address.ts'
import { useMore, withoutDuplicates } from '~/ui/use-more.ts'
import { listActs, listLog, readLogFilters } from '../log.server.ts'
import { type LogFilters, type LogView, logCsvPath, logPath } from '../log.view.ts'
import type { Route } from './+types/log'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		const viewer = await requirePageViewer({ request, context, url })
		const filters = readLogFilters(url.searchParams)
		const cursor = url.searchParams.get('cursor') || null
		const [page, acts] = await Promise.all([listLog(viewer, { ...filters, cursor }), listActs(viewer, filters.act)])
		return { filters, cursor, page, acts }
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Moderation log', noindex: true })
}

export default function ModerationLog({ loaderData: { filters, page, acts } }: Route.ComponentProps) {
	const { rows, nextHref, loading, load } = useMore(page, (cursor) => withParams(logPath, { ...filters, cursor }))
	return (
		<ModerationFrame title="Moderation log">
			<Filters filters={filters} acts={acts} />
			{rows.length === 0 ? (
				<EmptyState title="Nothing recorded">{describeNothing(filters)}</EmptyState>
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

/** What an empty list says. */
function describeNothing({ member, act, from, to }: LogFilters): string | null {
	if (act || from || to) return 'No entry matches.'
	return member ? `There are no entries by or about “${member}”.` : null
}

function Filters({ filters, acts }: { filters: LogFilters; acts: string[] }) {
	const member = useValueFromAddress(filters.member)
	const act = useValueFromAddress<HTMLSelectElement>(filters.act)
	const from = useValueFromAddress(filters.from)
	const to = useValueFromAddress(filters.to)
	return (
		<FilterForm path={logPath} csvPath={logCsvPath} filters={filters} columns="sm:grid-cols-4" submitLabel="Show">
			<Field ref={member} label="Username" name="member" autoCapitalize="none" defaultValue={filters.member} />
			<Select ref={act} label="Action" name="act" defaultValue={filters.act}>
				<option value="">Any</option>
				{acts.map((act) => (
					<option key={act} value={act}>
						{act}
					</option>
				))}
			</Select>
			<Field ref={from} label="From" name="from" type="date" defaultValue={filters.from} />
			<Field ref={to} label="To" name="to" type="date" defaultValue={filters.to} />
		</FilterForm>
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
		<Link className="quiet-link font-mono text-xs" to={withParams(logPath, { member: username })}>
			@{username}
		</Link>
	)
}
