import type { ReactNode } from 'react'
import type { FormRefusal } from '~/platform/http/form.ts'
import { Field, Select } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { PreventEnterSubmit, SubmitButton } from '~/ui/submit-button.tsx'
import { moderationLimits } from '../moderation.limits.ts'
import {
	type Act,
	type ActField,
	type SubjectPart,
	type SubjectState,
	suspensionDurations,
	whyHint,
} from '../moderation.policy.ts'
import type { CasePageView } from '../moderation.view.ts'

export interface CaseFormProps {
	entry: CasePageView
	refusal: FormRefusal | null
}

/** All actions for a case: on the post or profile, and on its author. */
export function ActForms({ entry, refusal }: CaseFormProps) {
	const author = entry.acts.filter((act): boolean => act === 'suspend' || act === 'lift')
	const plain = entry.acts.filter((act) => !author.includes(act) && act !== 'unmask' && !entry.fields[act])
	return (
		<>
			{plain.length > 0 && (
				<ActForm id="decide" title="Decide" acts={plain} entry={entry} refusal={refusal}>
					{null}
				</ActForm>
			)}
			{entry.acts.map((act) => {
				const field = entry.fields[act]
				if (!field || lacksParts(act, entry)) return null
				return (
					<ActForm key={act} id={act} title={field.title} acts={[act]} entry={entry} refusal={refusal}>
						<OwnField act={act} field={field} parts={entry.parts} refusal={refusal} />
					</ActForm>
				)
			})}
			{entry.acts.includes('unmask') && (
				<ActForm id="unmask" title="Unmask the author" acts={['unmask']} entry={entry} refusal={refusal}>
					<p className="text-sm text-ink-2">
						<bdi>{entry.author.name}</bdi> is a pseudonym. Unmask it only if you cannot decide without knowing who it
						is. Only you will see the name. The author is told that a moderator looked them up, and why.
					</p>
				</ActForm>
			)}
			{author.length > 0 && (
				<ActForm
					id="author"
					title={author.includes('lift') ? `${entry.author.name} is suspended` : `Suspend ${entry.author.name}`}
					acts={author}
					entry={entry}
					refusal={refusal}
				>
					{author.includes('suspend') && (
						<Select
							label="For how long"
							name="time"
							id="author-time"
							defaultValue={refusal?.values.intent === 'suspend' ? refusal.values.time : '1 day'}
							hint="A suspended member can log in and read, but not post."
						>
							{suspensionDurations.map((time) => (
								<option key={time}>{time}</option>
							))}
						</Select>
					)}
				</ActForm>
			)}
		</>
	)
}

/** Whether an action chooses one of the subject's parts, and there is none. */
function lacksParts(act: Act, { fields, parts }: CasePageView): boolean {
	return fields[act]?.choosesPart === true && parts.length === 0
}

interface StrayRefusalProps extends CaseFormProps {
	/** The actions of the other forms of the page. */
	others: readonly unknown[]
}

/** Why an action was rejected that has no form any more, as somebody else has carried it out meanwhile. */
export function DetachedActError({ entry, refusal, others }: StrayRefusalProps) {
	const own = entry.acts.filter((act) => !lacksParts(act, entry))
	if (!refusal || [...own, ...others].includes(refusal.values.intent)) return null
	return (
		<div className="mt-4 max-w-[36rem]">
			<FormError>{refusal.message}</FormError>
		</div>
	)
}

interface OwnFieldProps {
	act: Act
	field: ActField
	parts: SubjectPart[]
	refusal: FormRefusal | null
}

/** The field that an action needs besides a reason: a line of text, a date, or one of the subject's parts. */
function OwnField({ act, field: { name, label, hint, choosesPart, isDay }, parts, refusal }: OwnFieldProps) {
	const own = refusal?.values.intent === act ? refusal : null
	const common = { label, name, id: `${act}-${name}`, hint, error: own ? own.errors[name] : null }
	if (isDay) return <Field {...common} type="date" optional defaultValue={own ? own.values[name] : ''} />
	if (!choosesPart) return <Field {...common} required defaultValue={own ? own.values[name] : ''} />
	return (
		<Select {...common} defaultValue={own ? own.values[name] : undefined}>
			{parts.map(({ value, label, beginning }) => (
				<option key={value} value={value}>
					{beginning ? `${label}: ${beginning}` : label}
				</option>
			))}
		</Select>
	)
}

interface ActFormProps extends CaseFormProps {
	id: string
	title: string
	acts: Act[]
	children: ReactNode
}

function ActForm({ id, title, acts, entry, refusal, children }: ActFormProps) {
	const own = refusal && acts.some((act) => act === refusal.values.intent) ? refusal : null
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby={id}>
			<SectionHeading id={id} title={title} />
			<Form method="post" action={entry.caseUrl} className="mt-2 grid gap-4" replace>
				{acts.length > 1 && <PreventEnterSubmit />}
				<input type="hidden" name="seen" value={entry.print} />
				<input type="hidden" name="state" value={entry.state} />
				<input type="hidden" name="active" value={entry.activeAt} />
				<FormError errors={own?.errors} names={{ ...shortLabels(entry.fields), why: 'Why' }}>
					{own?.message}
				</FormError>
				{children}
				<Field
					label="Why"
					name="why"
					id={`${id}-why`}
					maxLength={moderationLimits.whyMax}
					defaultValue={own?.values.why ?? ''}
					error={own?.errors.why}
					hint={whyHint(acts, entry.kind)}
				/>
				<div className="flex flex-wrap gap-2">
					<ActButtons acts={acts} entry={entry} />
				</div>
			</Form>
		</section>
	)
}

function shortLabels(fields: CasePageView['fields']): Record<string, string> {
	return Object.fromEntries(Object.values(fields).map(({ name, shortLabel }) => [name, shortLabel]))
}

const buttons: Record<Act, { label: string; className: string }> = {
	approve: { label: 'Approve', className: 'btn btn-primary' },
	refuse: { label: 'Reject', className: 'btn btn-outline' },
	hide: { label: 'Hide', className: 'btn btn-outline' },
	restore: { label: 'Restore', className: 'btn btn-outline' },
	dismiss: { label: 'Dismiss', className: 'btn btn-outline' },
	lock: { label: 'Lock', className: 'btn btn-outline' },
	unlock: { label: 'Unlock', className: 'btn btn-outline' },
	pin: { label: 'Pin to the category', className: 'btn btn-outline' },
	'pin-everywhere': { label: 'Pin to the forum', className: 'btn btn-outline' },
	unpin: { label: 'Unpin', className: 'btn btn-outline' },
	merge: { label: 'Merge', className: 'btn btn-outline' },
	clean: { label: 'Remove', className: 'btn btn-danger' },
	unmask: { label: 'Unmask', className: 'btn btn-danger' },
	suspend: { label: 'Suspend', className: 'btn btn-danger' },
	lift: { label: 'Lift the suspension', className: 'btn btn-outline' },
}

/** A button per action, which submits the form around them. */
export function ActButtons({ acts, entry }: { acts: readonly Act[]; entry: CasePageView }) {
	return acts.map((act) => {
		const { label, className } = buttonOf(act, entry.state)
		return (
			<SubmitButton key={act} className={className} action={entry.caseUrl} name="intent" value={act}>
				{label}
			</SubmitButton>
		)
	})
}

function buttonOf(act: Act, state: SubjectState): { label: string; className: string } {
	return act === 'restore' && state === 'merged' ? { ...buttons.restore, label: 'Undo the merge' } : buttons[act]
}
