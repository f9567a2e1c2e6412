/** The page of the addresses of an account, where its member tries them. */
export const addressesPath = '/settings/email'

/** Of the link of a test mail that works no more. */
export const OLD_TEST =
	'This link is too old, or it is about an address that your account does not have any more. Send another test mail.'

/** What is known of an address of an account, for its member: that mail comes back, or that one was reported as spam. */
export interface AddressProblem {
	email: string
	/** Mails go there; otherwise it is the personal address beside it. */
	isFirst: boolean
	/** `returned` may be a complaint as well; it then shows once mail arrives again. */
	kind: 'returned' | 'complained'
	/** ISO 8601, in UTC. */
	since: string
}

/** The same, for admins. */
export interface AddressProblemDetail extends AddressProblem {
	/** Such as 5.1.1; '' where nothing was said. */
	status: string
	/** What it means, without a full stop. */
	reason: string
}
