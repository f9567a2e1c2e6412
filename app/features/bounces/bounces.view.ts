/** The page where members see and test their addresses. */
export const addressesPath = '/settings/email'

/** For an expired link of a test mail. */
export const EXPIRED_TEST_MAIL =
	'This link is too old, or it is about an address that your account does not have any more. Send another test mail.'

/** A problem of an address, for its member: its mail bounces, or was reported as spam. */
export interface AddressProblem {
	email: string
	/** Whether this is the address that mails go to, not the second one. */
	isFirst: boolean
	/** With `returned` there may be a complaint too, which shows once mail arrives again. */
	kind: 'returned' | 'complained'
	/** ISO 8601, in UTC. */
	since: string
}

/** The same, with the reason, for admins. */
export interface AddressProblemDetail extends AddressProblem {
	/** Such as 5.1.1; '' for none. */
	status: string
	/** The status in plain words, without a full stop. */
	reason: string
}
