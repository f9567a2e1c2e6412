import { Check } from 'lucide'
import { fullDate } from '~/lib/calendar.ts'
import { Icon } from '~/ui/icon.tsx'
import { Form } from '~/ui/link.tsx'
import { SectionHeading } from '~/ui/section-heading.tsx'
import { SubmitButton } from '~/ui/submit-button.tsx'
import type { CampusStatus as Status } from '../campus.view.ts'

/** The state of the saved university address, and the button that requests a confirmation link. */
export function CampusSection({ campus }: { campus: Status }) {
	const action = actions[campus.state]
	return (
		<section className="mt-10" aria-labelledby="verified-student">
			<SectionHeading id="verified-student" title="Verified student" />
			<div className="mt-3 grid justify-items-start gap-3">
				{campus.until && <CampusBadge university={campus.university} />}
				<p className="max-w-read min-w-0 wrap-anywhere text-ink-2">{sentence(campus)}</p>
				{action && (
					<Form method="post" action="/verify-campus">
						<SubmitButton className="btn btn-outline" busyLabel="Sending...">
							{action}
						</SubmitButton>
					</Form>
				)}
			</div>
		</section>
	)
}

const actions: Record<Status['state'], string | null> = {
	missing: null,
	foreign: null,
	open: 'Send a confirmation link',
	verified: null,
	ending: 'Renew',
	lapsed: 'Renew',
}

function sentence({ state, email, university, until }: Status): string {
	switch (state) {
		case 'missing':
			return 'Save your university email, then confirm it. Your card and profile will show that you study there. Nobody sees the address itself.'
		case 'foreign':
			return `We cannot confirm ${email}: its domain does not belong only to a university that we know.`
		case 'open':
			return `Confirm ${email}, and your card and profile will show that you study at ${university}. We will email a link there; it works for 10 minutes.`
		case 'lapsed':
			return `Your confirmation of ${email} has expired. Get a new link to renew it.`
		default:
			return `${email} is confirmed. This shows until ${fullDate(until)}${state === 'ending' ? ', unless you renew it' : ''}.`
	}
}

/** The mark of a verified student. */
export function CampusBadge({ university, className = '' }: { university: string; className?: string }) {
	return (
		<p className={`flex gap-1.5 text-xs font-medium text-ink-2 ${className}`}>
			<Icon of={Check} className="icon-sm flex-none text-ivy" />
			<span className="min-w-0 wrap-anywhere">Verified student of {university}</span>
		</p>
	)
}
