import { useRef } from 'react'
import { useRootData } from '~/lib/root-data.ts'
import { Avatar } from '~/ui/avatar.tsx'
import { Select, TextArea } from '~/ui/field.tsx'
import { FormError } from '~/ui/form-error.tsx'
import { Form } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import { RelativeTime } from '~/ui/time.tsx'
import { useFocusFallback } from '~/ui/use-focus-kept.ts'
import { moderationLimits } from '../moderation.limits.ts'
import type { CaseFormProps } from './act-forms.tsx'

/** The assignee of an open case; assigns it to the viewer, or to somebody else. */
export function CaseAssignee({ entry, refusal }: CaseFormProps) {
	const { viewer } = useRootData()
	const holder = entry.assignee?.username ?? ''
	const own = refusal?.values.intent === 'assign' || refusal?.values.intent === 'take' ? refusal : null
	const section = useRef<HTMLElement>(null)
	useFocusFallback(holder, (now, before) => now !== before, section)
	if (!entry.isOpen) return null
	return (
		<section ref={section} className="mt-8 max-w-[36rem]" aria-labelledby="handling" tabIndex={-1}>
			<SectionHeading id="handling" title="Assigned to" />
			<Form method="post" action={entry.caseUrl} className="mt-2 grid gap-4" replace>
				<input type="hidden" name="assigned" value={holder} />
				<FormError errors={own?.errors} names={{ assignee: 'Moderator' }}>
					{own?.message}
				</FormError>
				<Select
					key={holder}
					label="Moderator"
					name="assignee"
					defaultValue={own?.values.assignee ?? holder}
					error={own?.errors.assignee}
					hint="The assignee is notified. Any moderator can still decide it."
				>
					<option value="">Nobody</option>
					{entry.staff.map(({ username, name }) => (
						<option key={username} value={username}>
							{`${name} (@${username})`}
						</option>
					))}
				</Select>
				<div className="flex flex-wrap gap-2">
					<SubmitButton className="btn btn-outline" action={entry.caseUrl} name="intent" value="assign">
						Assign
					</SubmitButton>
					{holder !== viewer?.username && (
						<SubmitButton className="btn btn-outline" action={entry.caseUrl} name="intent" value="take">
							Assign to me
						</SubmitButton>
					)}
				</div>
			</Form>
		</section>
	)
}

/** Moderators' notes in a case, and the form to add one. */
export function CaseNotes({ entry, refusal }: CaseFormProps) {
	const { viewer } = useRootData()
	const own = refusal?.values.intent === 'note' ? refusal : null
	// A note of somebody else leaves alone what the viewer is writing.
	const written = entry.notes.findLast(({ author }) => author.username === viewer?.username)?.id
	const section = useRef<HTMLElement>(null)
	useFocusFallback(entry.noteCount, (now, before) => now > before, section)
	return (
		<section ref={section} className="mt-8 max-w-[36rem]" aria-labelledby="notes" tabIndex={-1}>
			<SectionHeading id="notes" title="Notes for moderators" />
			{entry.notes.length > 0 && (
				<ul>
					{entry.notes.map(({ id, author, body, at }) => (
						<li key={id} className="border-b border-line py-3 text-sm wrap-anywhere">
							<p className="flex items-center gap-2 text-ink-3">
								<Avatar user={author} size={20} />
								<bdi className="font-semibold text-ink-2">{author.name}</bdi>
								<RelativeTime at={at} />
							</p>
							<p className="mt-1 whitespace-pre-line">{body}</p>
						</li>
					))}
				</ul>
			)}
			<Form key={written} method="post" action={entry.caseUrl} className="mt-2 grid gap-4" replace noValidate>
				<FormError errors={own?.errors} names={{ note: 'New note' }}>
					{own?.message}
				</FormError>
				<TextArea
					label="New note"
					name="note"
					rows={3}
					maxLength={moderationLimits.noteMax}
					defaultValue={own?.values.note ?? ''}
					error={own?.errors.note}
					hint="Moderators and admins read this, members never do."
				/>
				<p>
					<SubmitButton
						className="btn btn-outline"
						busyLabel="Saving..."
						action={entry.caseUrl}
						name="intent"
						value="note"
					>
						Add the note
					</SubmitButton>
				</p>
			</Form>
		</section>
	)
}
