import { shortDateOf } from '~/lib/dates.ts'
import { SectionHeading } from '~/ui/section-heading.tsx'

interface WeekChartProps {
	id: string
	title: string
	/** The unit of the bars. */
	note: string
	/** By week, oldest first; null without a value. */
	values: { week: string; value: number | null }[]
	/** Formats a value. */
	say: (value: number) => string
}

const HEIGHT = 60
const STEP = 10

/** A bar chart by week, and the same as a table. Screen readers get the newest and the highest value. */
export function WeekChart({ id, title, note, values, say }: WeekChartProps) {
	const most = Math.max(1, ...values.map(({ value }) => value ?? 0))
	const highest = values.reduce(
		(best, each) => ((each.value ?? -1) > (best.value ?? -1) ? each : best),
		values[0] ?? none,
	)
	const newest = values.at(-1) ?? none
	const labelOf = (value: number | null) => (value === null ? 'none' : say(value))
	const summary = `${title} in ${values.length} weeks. This week ${labelOf(newest.value)}, most in the week of ${dayOf(highest.week)}: ${labelOf(highest.value)}.`
	return (
		<section className="mt-8" aria-labelledby={id}>
			<SectionHeading id={id} title={title}>
				<span>{labelOf(newest.value)}</span>
			</SectionHeading>
			<svg
				className="mt-2 block h-24 w-full border-b border-line-2 text-ivy"
				viewBox={`0 0 ${values.length * STEP} ${HEIGHT}`}
				preserveAspectRatio="none"
				role="img"
				aria-label={summary}
			>
				{values.map(({ week, value }, index) => {
					const height = value ? Math.max(1, (value / most) * HEIGHT) : 0
					return (
						<rect
							key={week}
							x={index * STEP + 1}
							y={HEIGHT - height}
							width={STEP - 2}
							height={height}
							fill="currentColor"
						/>
					)
				})}
			</svg>
			<p className="meta mt-1 flex justify-between gap-4">
				<span>{dayOf(values[0]?.week ?? '')}</span>
				<span>{dayOf(newest.week)}</span>
			</p>
			<p className="mt-1 text-sm text-ink-2">{note}</p>
			<details className="mt-1 text-sm">
				<summary className="link inline-block cursor-pointer py-1">Show as a table</summary>
				<table className="mt-2 w-full max-w-[20rem] text-left">
					<thead>
						<tr>
							<th scope="col">Week of</th>
							<th scope="col" className="text-right">
								{title}
							</th>
						</tr>
					</thead>
					<tbody>
						{values.toReversed().map(({ week, value }) => (
							<tr key={week} className="border-t border-line">
								<th scope="row" className="py-1 font-normal">
									{dayOf(week)}
								</th>
								<td className="num py-1 text-right">{labelOf(value)}</td>
							</tr>
						))}
					</tbody>
				</table>
			</details>
		</section>
	)
}

/** “1 Jun 2026” for the first day of a week, as `YYYY-MM-DD`. */
const dayOf = (week: string) => week && shortDateOf(new Date(week))

const none = { week: '', value: null }
