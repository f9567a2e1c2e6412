/** A session as its member sees it. Times are ISO 8601 in UTC. */
export interface SessionView {
	id: number
	device: string
	address: string
	createdAt: string
	seenAt: string
	current: boolean
}

/** Security events of an account or a request, in the words that members read. */
export const securityEventTexts = {
	login: 'Logged in',
	'login-failed': 'Wrong password at login',
	logout: 'Logged out',
	register: 'Registered',
	verify: 'Confirmed the email address',
	'reset-requested': 'Asked for a password reset link',
	reset: 'Reset the password with a link from an email',
	confirmed: 'Confirmed that it was you',
	'confirm-failed': 'Wrong password or code when asked to confirm that it was you',
	'code-failed': 'Right password, but a wrong code at login',
	'second-factor-on': 'Turned the authenticator app on',
	'second-factor-off': 'Turned the authenticator app off',
	'recovery-codes': 'Made new recovery codes',
	'recovery-code-used': 'Used a recovery code',
	'second-factor-reset': 'An admin reset the second factor',
	'passkey-added': 'Added a passkey',
	'passkey-removed': 'Removed a passkey',
	'passkeys-reset': 'An admin removed all passkeys',
	'passkey-failed': 'A passkey was not accepted',
	'password-changed': 'Changed the password',
	'token-created': 'Created an access token',
	'token-revoked': 'Revoked an access token',
	'session-revoked': 'Ended another session',
	'role-changed': 'The role changed',
	suspended: 'Suspended',
	restored: 'The suspension ended',
	'rate-limited': 'Blocked after too many attempts',
	refused: 'Request refused',
	'admin-claimed': 'Became admin of this site',
	'new-device': 'Logged in from a new device',
	leaving: 'Asked for the account to be deleted',
	'came-back': 'Kept the account after all',
	'archive-requested': 'Asked for an archive of the account',
	'archive-fetched': 'Downloaded an archive of the account',
	'campus-confirmed': 'Confirmed the campus address',
	'campus-left': 'Logged out, as the university says that you have left it',
	'identity-linked': 'Linked another way to log in',
	'identity-unlinked': 'Removed a way to log in',
	'provider-ended': 'Logged out, as the account at the campus has ended',
	'provider-expired': 'Logged out, as the login at the university had expired',
	'provider-logout': 'Logged out, as the login at the university ended',
	'email-requested': 'Asked for a new email address',
	'email-changed': 'Changed the email addresses',
	'email-undone': 'Undid a change of the email addresses',
	'username-changed': 'Changed the username',
	'accounts-merged': 'An admin merged another account of yours into this one',
	'invite-made': 'Made a link to invite people',
	'invite-revoked': 'Revoked a link to invite people',
	'list-sent': 'Sent invitations to a list of addresses',
} as const

export type SecurityEventKind = keyof typeof securityEventTexts

/** The words for events that an admin caused. */
export const adminEventTexts: Partial<Record<SecurityEventKind, string>> = {
	verify: 'An admin confirmed the email address',
	'session-revoked': 'An admin ended all sessions',
	leaving: 'An admin asked for the account to be deleted',
	'archive-requested': 'An admin asked for an archive of the account',
	'username-changed': 'An admin changed the username',
	'identity-unlinked': 'An admin removed a way to log in',
}

/** An event as its member sees it. */
export interface SecurityEventView {
	id: string
	text: string
	/** “Firefox on Linux”; empty if no browser was involved. */
	device: string
	/** ISO 8601 in UTC. */
	at: string
}
