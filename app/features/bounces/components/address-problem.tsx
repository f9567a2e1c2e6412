import type { ReactNode } from 'react'
import { Form, Link } from '~/ui/link.tsx'
import { LocalTime } from '~/ui/local-time.tsx'
import { type AddressProblem, addressesPath } from '../bounces.view.ts'

/** Tells members that their mail bounces or was reported as spam, and what they can do. Shown until that is done. */
export function AddressProblemNotice({ problem, links }: { problem: AddressProblem; links?: ReactNode }) {
	const { email, isFirst, kind, since } = problem
	const isReturned = kind === 'returned'
	const effect = isFirst ? 'We have stopped emailing you notifications. ' : ''
	return (
		<section
			className="mt-4 rounded-md border border-marigold-line bg-marigold-wash p-4"
			aria-labelledby={`${kind}-${email}`}
		>
			<h3 className="text-md font-semibold wrap-anywhere" id={`${kind}-${email}`}>
				{isReturned ? `Mail to ${email} came back` : `A mail to ${email} was reported as spam`}
			</h3>
			<p className="mt-0.5 max-w-read text-ink-2">
				{isReturned
					? `${effect}Mails that you ask for, such as a link for a new password, are still tried, a few a day. Since `
					: `By you, or by your mail program. ${effect}Since `}
				<LocalTime at={since} />.
			</p>
			<Form method="post" action={addressesPath} className="mt-3 flex flex-wrap gap-2">
				<input type="hidden" name="email" value={email} />
				<button className="btn btn-sm btn-outline" type="submit" name="intent" value={isReturned ? 'test' : 'resume'}>
					{isReturned ? 'Send a test mail' : 'Email me again'}
				</button>
				{links}
			</Form>
		</section>
	)
}

/** Asks to confirm that the test mail arrived. Opening its link is not enough, as mail scanners follow links too. */
export function ConfirmTestMail({ email, token }: { email: string; token: string }) {
	return (
		<section className="mt-4 rounded-md border border-line bg-raised p-4" aria-labelledby="arrived">
			<h2 className="text-md font-semibold wrap-anywhere" id="arrived">
				The test mail to {email} arrived
			</h2>
			<p className="mt-0.5 text-ink-2">Confirm it, and we email you notifications again.</p>
			<Form method="post" action={addressesPath} className="mt-3">
				<input type="hidden" name="token" value={token} />
				<button className="btn btn-primary" type="submit" name="intent" value="arrived">
					Mail arrives again
				</button>
			</Form>
		</section>
	)
}

/** Explains in the notification settings why no mails are sent at present. */
export function MailPausedNotice() {
	return (
		<p className="mt-3 rounded-md border border-marigold-line bg-marigold-wash px-4 py-3">
			No notifications are emailed to you at present.{' '}
			<Link className="link" to={addressesPath}>
				See why
			</Link>
		</p>
	)
}
