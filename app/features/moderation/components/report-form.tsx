import { type ReactNode, useId } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { moderationLimits } from '../moderation.limits.ts'
import { reasons } from '../moderation.policy.ts'

/** The error of a report form, for its page and its dialog. */
export interface ReportRefusal {
	message: string
	errors: Record<string, string>
	values: Record<string, string>
}

interface ReportFieldsProps {
	refusal: ReportRefusal | null
	/** The buttons. */
	children: ReactNode
}

/** The fields of a report: one of the site's reasons, and a text where it is needed. */
export function ReportFormFields({ refusal, children }: ReportFieldsProps) {
	const id = useId()
	const errors = refusal?.errors ?? {}
	const { reporting } = useRootData()
	const offered = reporting?.reasons ?? reasons
	return (
		<div className="grid gap-4">
			<FormError errors={errors} names={{ reason: 'What is wrong with it?', details: 'In your words' }}>
				{refusal?.message}
			</FormError>
			<fieldset aria-describedby={errors.reason ? `${id}-error` : undefined}>
				<legend className="label mb-1">What is wrong with it?</legend>
				{offered.map(({ value, label, hint }) => (
					<ReasonRow
						key={value}
						value={value}
						label={label}
						hint={hint}
						isChosen={(refusal?.values.reason ?? offered[0]?.value) === value}
					/>
				))}
				{reporting?.hasTerms && (
					<p className="hint mt-1">
						The rules are in the{' '}
						<a className="link" href="/terms" target="_blank" rel="noopener">
							terms of this site
						</a>
						.
					</p>
				)}
				{errors.reason && (
					<p className="error" id={`${id}-error`}>
						{errors.reason}
					</p>
				)}
			</fieldset>
			<TextArea
				label="In your words"
				name="details"
				id={`${id}-details`}
				optional
				rows={3}
				maxLength={moderationLimits.detailsMax}
				defaultValue={refusal?.values.details ?? ''}
				error={errors.details}
				hint="Only moderators read this."
			/>
			<div className="flex justify-end gap-2">{children}</div>
		</div>
	)
}

function ReasonRow({
	value,
	label,
	hint,
	isChosen,
}: {
	value: string
	label: string
	hint: string
	isChosen: boolean
}) {
	const id = useId()
	return (
		<div className="py-1">
			<label className="check min-h-6" htmlFor={id}>
				<input
					className="check-box rounded-full"
					type="radio"
					id={id}
					name="reason"
					value={value}
					required
					defaultChecked={isChosen}
					aria-describedby={hint ? `${id}-hint` : undefined}
				/>
				<span>{label}</span>
			</label>
			{hint && (
				<p className="hint pl-6.5" id={`${id}-hint`}>
					{hint}
				</p>
			)}
		</div>
	)
}
