import type { ReactNode } from 'react'
import { FormError } from './form-error.tsx'
import { Form, Link } from './link.tsx'
import { SubmitButton } from './submit-button.tsx'

/* Pages that links in mails open. They change nothing before a button is pressed, as mail scanners follow links, too. */

interface TokenPageProps {
	title: string
	/** What the button does, or why there is none. */
	lead: ReactNode
	children?: ReactNode
}

/** A heading, an explanation, and {@link TokenForm} or {@link TokenExitLink} below. */
export function TokenPage({ title, lead, children }: TokenPageProps) {
	return (
		<div className="max-w-read pt-10">
			<h1 className="text-2xl font-bold text-balance wrap-anywhere">{title}</h1>
			<p className="mt-2 text-md text-ink-2">{lead}</p>
			{children}
		</div>
	)
}

interface TokenFormProps {
	token: string
	/** The error of the last press. */
	message: string | undefined
	label: string
	busyLabel: string
	/** Distinguishes several forms of one page. */
	intent?: string
}

/** A button that sends the token of the address. */
export function TokenForm({ token, message, label, busyLabel, intent }: TokenFormProps) {
	return (
		<Form method="post" className="mt-6 grid gap-4">
			<FormError>{message}</FormError>
			<input type="hidden" name="token" value={token} />
			<p>
				<SubmitButton
					className="btn btn-primary"
					busyLabel={busyLabel}
					{...(intent && { name: 'intent', value: intent })}
				>
					{label}
				</SubmitButton>
			</p>
		</Form>
	)
}

/** For an expired link: offers to send another one to the same address (`intent=resend`). */
export function ExpiredTokenPage({
	token,
	message,
	to,
}: {
	token: string
	message: string | undefined
	to: ReactNode
}) {
	return (
		<TokenPage
			title="This link is too old"
			lead={<>A link works for 10 minutes after it was sent. We can send a new one to {to}.</>}
		>
			<TokenForm token={token} message={message} label="Send me a new link" busyLabel="Sending..." intent="resend" />
		</TokenPage>
	)
}

/** For `shouldRevalidate` of such a page: it is reloaded after an error too, as its link may have expired while it was open. */
export function revalidateTokenPage(): boolean {
	return true
}

/** Where to go from a page whose link is invalid or done. */
export function TokenExitLink({ to, children }: { to: string; children: string }) {
	return (
		<p className="mt-6">
			<Link className="btn btn-outline" to={to}>
				{children}
			</Link>
		</p>
	)
}
