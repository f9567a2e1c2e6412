import type { ReactNode } from 'react'
import { Form } from 'react-router'
import type { FormRefusal } from '~/platform/http/http.ts'
import { Field, Select } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { RuleHead } from '~/ui/rule-head.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { limits } from '../moderation.limits.ts'
import { type Act, type CaseView, suspensionTimes } from '../moderation.present.ts'
import { buttonOf } from './acts.ts'

interface ActFormsProps {
	entry: CaseView
	refusal: FormRefusal | null
}

/** Everything that can be done about a case: about the text or profile, about its place, about its author. */
export function ActForms({ entry, refusal }: ActFormsProps) {
	const about = (acts: Act[]) => entry.acts.filter((act) => acts.includes(act))
	const text = about(['approve', 'refuse', 'hide', 'restore', 'dismiss', 'lock', 'unlock'])
	const merge = about(['merge'])
	const clean = entry.parts.length > 0 ? about(['clean']) : []
	const author = about(['suspend', 'lift'])
	return (
		<>
			{text.length > 0 && (
				<ActForm id="decide" title="Decide" acts={text} entry={entry} refusal={refusal}>
					{null}
				</ActForm>
			)}
			{merge.length > 0 && (
				<ActForm id="merge" title="Merge into another query" acts={merge} entry={entry} refusal={refusal}>
					<Field
						label="Address of the query to keep"
						name="into"
						id="merge-into"
						required
						defaultValue={refusal?.values.act === 'merge' ? refusal.values.into : ''}
						error={refusal?.values.act === 'merge' ? refusal.errors.into : null}
						hint="This query's address will lead there. It can still be read, and the merge can be undone."
					/>
				</ActForm>
			)}
			{clean.length > 0 && (
				<ActForm id="clean" title="Remove a part" acts={clean} entry={entry} refusal={refusal}>
					<Select
						label="What to remove"
						name="part"
						id="clean-part"
						defaultValue={refusal?.values.act === 'clean' ? refusal.values.part : undefined}
						error={refusal?.values.act === 'clean' ? refusal.errors.part : null}
						hint="This cannot be undone. To decide later, hide the profile instead."
					>
						{entry.parts.map(({ value, label, beginning }) => (
							<option key={value} value={value}>
								{beginning ? `${label}: ${beginning}` : label}
							</option>
						))}
					</Select>
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
							defaultValue={refusal?.values.act === 'suspend' ? refusal.values.time : '1 day'}
							hint="A suspended member can log in and read, but not post."
						>
							{suspensionTimes.map((time) => (
								<option key={time}>{time}</option>
							))}
						</Select>
					)}
				</ActForm>
			)}
		</>
	)
}

interface ActFormProps extends ActFormsProps {
	id: string
	title: string
	acts: Act[]
	children: ReactNode
}

function ActForm({ id, title, acts, entry, refusal, children }: ActFormProps) {
	const own = refusal && acts.some((act) => act === refusal.values.act) ? refusal : null
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby={id}>
			<RuleHead id={id} title={title} />
			<Form method="post" action={entry.caseUrl} className="mt-2 grid gap-4" replace>
				<input type="hidden" name="seen" value={entry.print} />
				<FormError errors={own?.errors} names={{ into: 'Address', part: 'What to remove', why: 'Why' }}>
					{own?.message}
				</FormError>
				{children}
				<Field
					label="Why"
					name="why"
					id={`${id}-why`}
					maxLength={limits.whyMax}
					defaultValue={own?.values.why ?? ''}
					error={own?.errors.why}
					hint="The author sees this when you hide or reject something. Admins see it in the log."
				/>
				<div className="flex flex-wrap gap-2">
					{acts.map((act) => (
						<SubmitButton
							key={act}
							className={buttonOf(act, entry.state).className}
							busyLabel="..."
							action={entry.caseUrl}
							name="act"
							value={act}
						>
							{buttonOf(act, entry.state).label}
						</SubmitButton>
					))}
				</div>
			</Form>
		</section>
	)
}
