import { suspensionDurations } from '~/features/moderation/moderation.policy.ts'
import { formatNumber } from '~/lib/text.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { Select } from '~/ui/field.tsx'
import type { LabelledCount, Period, TakedownState } from '../takedowns.view.ts'

/* What the pages of one and of several accounts share. */

const periodLabels: Record<Period, string> = {
	'1 hour': 'In the last hour',
	'1 day': 'In the last 24 hours',
	'1 week': 'In the last 7 days',
	'1 month': 'In the last 30 days',
	all: 'Ever',
}

/** The period of what would be hidden. */
export function PeriodSelect({ period }: { period: Period }) {
	return (
		<Select key={period} label="Published" name="period" defaultValue={period}>
			{Object.entries(periodLabels).map(([value, label]) => (
				<option key={value} value={value}>
					{label}
				</option>
			))}
		</Select>
	)
}

/** What would be hidden. */
export function Amounts({ amounts }: { amounts: LabelledCount[] }) {
	return (
		<dl className="mt-4">
			{amounts.map(({ label, count }) => (
				<div key={label} className="flex justify-between gap-4 border-b border-line py-2">
					<dt>{label}</dt>
					<dd className="font-mono">{formatNumber(count)}</dd>
				</div>
			))}
		</dl>
	)
}

/** Whether a takedown also suspends, and for how long. */
export function SuspendSelect({ refusal }: { refusal: FormRefusal | null }) {
	return (
		<Select
			label="Suspend them"
			name="time"
			defaultValue={refusal?.values.time ?? 'for ever'}
			error={refusal?.errors.time}
			hint="Otherwise they can go on publishing."
		>
			<option value="">No</option>
			{suspensionDurations.map((time) => (
				<option key={time} value={time}>
					{time === 'for ever' ? 'For ever' : `For ${time}`}
				</option>
			))}
		</Select>
	)
}

export const stateWords: Record<TakedownState, string> = {
	running: 'being hidden',
	done: 'hidden',
	undoing: 'being restored',
	undone: 'undone',
}
