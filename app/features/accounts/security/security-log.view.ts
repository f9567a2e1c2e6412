/** What happens to an account or a request that concerns safety, in the words that a member reads. */
export const securityEventTexts = {
	login: 'Logged in',
	'login-failed': 'A login with a wrong password',
	logout: 'Logged out',
	register: 'Registered',
	verify: 'Confirmed the email address',
	'reset-requested': 'Asked for a link to set a new password',
	reset: 'Set a new password with a link from a mail',
	'password-changed': 'Changed the password',
	'token-created': 'Made an access token',
	'token-revoked': 'Revoked an access token',
	'session-revoked': 'Another session was ended',
	'role-changed': 'The role changed',
	suspended: 'Suspended',
	restored: 'The suspension ended',
	'rate-limited': 'Stopped for trying too often',
	refused: 'Something was refused',
	'admin-claimed': 'Became admin of this site',
	'new-device': 'Logged in from a new device',
	'campus-confirmed': 'Confirmed the campus address',
} as const

export type SecurityEventKind = keyof typeof securityEventTexts

/** An event as its member sees it. */
export interface SecurityEventView {
	id: string
	text: string
	/** “Firefox on Linux”, or empty when no browser was involved. */
	device: string
	/** ISO 8601 in UTC. */
	at: string
}
