import { requirePageAdmin } from '~/features/administration/admins.server.ts'
import { AdminFrame } from '~/features/administration/components/admin-frame.tsx'
import { pageMeta } from '~/lib/page-meta.ts'
import { formatBytes } from '~/lib/sizes.ts'
import { formatNumber } from '~/lib/text.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { Link } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { WeekChart } from '~/ui/week-chart.tsx'
import { readUsage } from '../usage.server.ts'
import { MOST_READ_WEEKS, type MostRead, type ReadKind, readKinds, type TableSize } from '../usage.view.ts'
import type { Route } from './+types/usage'

export function loader(args: Route.LoaderArgs) {
	return withHttpErrors(async () => readUsage(await requirePageAdmin(args)))
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Reading and storage', noindex: true })
}

const kinds = Object.entries(readKinds) as [ReadKind, string][]

export default function Usage({ loaderData: { weeks, mostRead, tables } }: Route.ComponentProps) {
	return (
		<AdminFrame title="Reading and storage">
			<p className="mt-4 max-w-[40rem] text-ink-2">
				Pages that people opened in the last {weeks.length} weeks, counted within a minute. Readers are not recorded,
				and search engines do not count.
			</p>
			<MostReadList questions={mostRead} />
			{kinds.map(([kind, title]) => (
				<WeekChart
					key={kind}
					id={`read-${kind}`}
					title={title}
					note="Page views in the week."
					values={weeks.map(({ week, reads }) => ({ week, value: reads[kind] ?? 0 }))}
					say={formatNumber}
				/>
			))}
			<WeekChart
				id="database"
				title="Database"
				note="Size in the last night of the week, including indexes."
				values={weeks.map(({ week, database }) => ({ week, value: database }))}
				say={formatBytes}
			/>
			<WeekChart
				id="pictures"
				title="Pictures"
				note="All files that members uploaded, in every size."
				values={weeks.map(({ week, pictures }) => ({ week, value: pictures }))}
				say={formatBytes}
			/>
			<Tables tables={tables} />
		</AdminFrame>
	)
}

function MostReadList({ questions }: { questions: MostRead[] }) {
	return (
		<section className="mt-8" aria-labelledby="most-read">
			<SectionHeading id="most-read" title={`Most read queries of the last ${MOST_READ_WEEKS} weeks`} />
			{questions.length === 0 && <p className="py-3 text-ink-2">Nobody has opened a query yet.</p>}
			<ol>
				{questions.map(({ id, title, url, reads }) => (
					<li key={id} className="flex gap-4 border-b border-line py-2.5">
						<Link className="link min-w-0 flex-1 wrap-anywhere" to={url}>
							{title}
						</Link>
						<span className="num">{formatNumber(reads)}</span>
					</li>
				))}
			</ol>
		</section>
	)
}

function Tables({ tables }: { tables: TableSize[] }) {
	return (
		<section className="mt-8" aria-labelledby="tables">
			<SectionHeading id="tables" title="Largest tables now" />
			<table className="mt-2 w-full max-w-[26rem] text-left">
				<thead>
					<tr>
						<th scope="col">Table</th>
						<th scope="col" className="text-right">
							Size
						</th>
					</tr>
				</thead>
				<tbody>
					{tables.map(({ name, bytes }) => (
						<tr key={name} className="border-t border-line">
							<th scope="row" className="py-1 font-mono text-sm font-normal wrap-anywhere">
								{name}
							</th>
							<td className="py-1 text-right">{formatBytes(bytes)}</td>
						</tr>
					))}
				</tbody>
			</table>
		</section>
	)
}
