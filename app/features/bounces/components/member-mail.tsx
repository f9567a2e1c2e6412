import { FormError } from '~/ui/form-error.tsx'
import { Form } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import type { AddressProblemDetail } from '../bounces.view.ts'

interface MemberMailProps {
	problems: readonly AddressProblemDetail[]
	action: string
	/** The error of clearing a mark. */
	refusal?: { message?: string } | null
}

/** For admins: the problems of a member's addresses, and the button that clears them. */
export function MemberMail({ problems, action, refusal }: MemberMailProps) {
	if (problems.length === 0) return null
	return (
		<section className="mt-8 max-w-[36rem]" aria-labelledby="mail-head">
			<SectionHeading id="mail-head" title="Mail" />
			{problems.map((problem) => (
				<AddressProblemItem key={problem.email} {...problem} />
			))}
			{problems.some(({ kind }) => kind === 'returned') && (
				<Form method="post" action={action} className="mt-3 grid gap-3" replace>
					<FormError>{refusal?.message}</FormError>
					<p className="text-ink-2">
						Notifications are not mailed there. Clear this if you know that mail arrives again; the next one that comes
						back marks the address anew.
					</p>
					<p>
						<SubmitButton className="btn btn-outline" action={action} name="intent" value="clear-mail">
							Clear
						</SubmitButton>
					</p>
				</Form>
			)}
		</section>
	)
}

function AddressProblemItem({ email, kind, since, status, reason }: AddressProblemDetail) {
	return (
		<p className="mt-2 wrap-anywhere">
			{kind === 'returned'
				? `Mail to ${email} comes back. ${reason}${status && ` (${status})`}.`
				: `A mail to ${email} was reported as spam. Only its member can have notifications mailed again.`}{' '}
			<span className="meta">
				Since <LocalTime at={since} />
			</span>
		</p>
	)
}
