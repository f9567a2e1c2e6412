import type { ReactNode } from 'react'
import { moderationLimits } from '~/features/moderation/moderation.limits.ts'
import { suspensionDurations } from '~/features/moderation/moderation.policy.ts'
import { formatNumber } from '~/lib/text.ts'
import type { FormRefusal } from '~/platform/http/form.ts'
import { Field, Select } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
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

interface HideFormProps {
	/** The address of the page. */
	here: string
	/** Start of the period, as the form sends it. */
	from: string
	refusal: FormRefusal | null
	whyHint: string
	/** Label of the button. */
	submit: string
	/** Hidden fields. */
	children?: ReactNode
}

/** Hides what was counted above it. */
export function HideForm({ here, from, refusal, whyHint, submit, children }: HideFormProps) {
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="hide">
			<SectionHeading id="hide" title="Hide it" />
			<Form method="post" action={here} className="mt-2 grid gap-4" replace noValidate>
				{children}
				<input type="hidden" name="from" value={refusal?.values.from ?? from} />
				<FormError errors={refusal?.errors} names={{ from: 'Period', time: 'Suspend them', why: 'Why' }}>
					{refusal?.message}
				</FormError>
				<SuspendSelect refusal={refusal} />
				<WhyField id="hide-why" label="Why" refusal={refusal} hint={whyHint} />
				<p>
					<SubmitButton className="btn btn-danger" busyLabel="Hiding..." action={here} name="intent" value="hide">
						{submit}
					</SubmitButton>
				</p>
			</Form>
		</section>
	)
}

interface UndoFieldsProps {
	/** Id of the field; a page can have several of these forms. */
	id: string
	/** The address of the page. */
	here: string
	refusal: FormRefusal | null
	whyHint: string
	/** Label of the button. */
	submit: string
}

/** Content of a form that restores what was hidden; the form says of what. */
export function UndoFields({ id, here, refusal, whyHint, submit }: UndoFieldsProps) {
	return (
		<>
			<FormError errors={refusal?.errors} names={{ why: 'Why it is undone' }}>
				{refusal?.message}
			</FormError>
			<WhyField id={id} label="Why it is undone" refusal={refusal} hint={whyHint} />
			<p>
				<SubmitButton className="btn btn-outline" busyLabel="Restoring..." action={here} name="intent" value="undo">
					{submit}
				</SubmitButton>
			</p>
		</>
	)
}

interface WhyFieldProps {
	id: string
	label: string
	refusal: FormRefusal | null
	hint: string
}

function WhyField({ id, label, refusal, hint }: WhyFieldProps) {
	return (
		<Field
			label={label}
			name="why"
			id={id}
			maxLength={moderationLimits.whyMax}
			defaultValue={refusal?.values.why ?? ''}
			error={refusal?.errors.why}
			hint={hint}
		/>
	)
}

/** Whether a takedown also suspends, and for how long. */
function SuspendSelect({ refusal }: { refusal: FormRefusal | null }) {
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
