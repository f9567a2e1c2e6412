import { ModerationFrame } from '~/features/moderation/components/moderation-frame.tsx'
import { requirePageModerator } from '~/features/moderation/members.server.ts'
import { pageMeta } from '~/lib/page-meta.ts'
import { formatNumber, pluralize } from '~/lib/text.ts'
import { withHttpErrors } from '~/platform/http/http.ts'
import { type GainSide, getGain } from '../gain.server.ts'
import { COMPARED_DAYS, LEFT_OUT_PERCENT } from '../routing.limits.ts'
import type { Route } from './+types/gain'

export function loader({ request, context, url }: Route.LoaderArgs) {
	return withHttpErrors(async () => {
		await requirePageModerator({ request, context, url })
		return getGain()
	})
}

export function meta({ matches }: Route.MetaArgs) {
	return pageMeta(matches, { title: 'Routing', noindex: true })
}

/** The effect of asking members, for moderators. */
export default function Gain({ loaderData: { routed, leftOut, verdict, optedIn } }: Route.ComponentProps) {
	const sides = [
		['Members are asked', routed],
		['Left out at random', leftOut],
	] as const
	return (
		<ModerationFrame title="Routing">
			<p className="mt-4 max-w-[40rem] text-ink-2">
				New queries go to members who may know the answer; {pluralize(optedIn, 'member has', 'members have')} agreed to
				be asked. For comparison, {LEFT_OUT_PERCENT} in 100 queries are left out at random. The table covers queries of
				the last {COMPARED_DAYS} days that are at least a day old, including those for which no suitable member was
				found.
			</p>
			<div className="overflow-x-auto">
				<table className="mt-4 w-full text-left">
					<thead>
						<tr className="border-b border-line text-sm text-ink-3">
							<th className="py-2.5 pr-4 font-normal" scope="col">
								Queries
							</th>
							<th className="py-2.5 pr-4 text-right font-normal" scope="col">
								Number
							</th>
							<th className="py-2.5 pr-4 text-right font-normal" scope="col">
								Median time to the first answer
							</th>
							<th className="py-2.5 text-right font-normal" scope="col">
								Answered within 24 h
							</th>
						</tr>
					</thead>
					<tbody>
						{sides.map(([title, side]) => (
							<tr key={title} className="border-b border-line">
								<th className="py-2.5 pr-4 font-normal" scope="row">
									{title}
								</th>
								<td className="py-2.5 pr-4 text-right">{formatNumber(side.questions)}</td>
								<td className="py-2.5 pr-4 text-right">{medianText(side)}</td>
								<td className="py-2.5 text-right">{shareText(side)}</td>
							</tr>
						))}
					</tbody>
				</table>
			</div>
			<p className="mt-4 max-w-[40rem] text-ink">{verdict}</p>
		</ModerationFrame>
	)
}

function medianText({ questions, medianSeconds }: GainSide): string {
	if (questions === 0) return 'none'
	if (medianSeconds === null) return 'half are unanswered'
	const minutes = Math.round(medianSeconds / 60)
	if (minutes < 120) return `${minutes} min`
	const hours = Math.round(minutes / 60)
	return hours < 48 ? `${hours} h` : `${Math.round(hours / 24)} days`
}

function shareText({ questions, withinDay }: GainSide): string {
	return questions === 0 ? 'none' : `${Math.round((100 * withinDay) / questions)}% (${formatNumber(withinDay)})`
}
