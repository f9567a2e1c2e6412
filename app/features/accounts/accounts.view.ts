/** What only its owner sees of an account. */
export interface AccountView {
	email: string
	emailVerified: boolean
	joinedAt: string
}

/** A place where a member is logged in. Times are ISO 8601 in UTC. */
export interface SessionView {
	id: number
	device: string
	address: string
	createdAt: string
	seenAt: string
	current: boolean
}

/** What happens to an account or a request that concerns safety, in the words that a member reads. */
export const securityEventTexts = {
	login: 'Logged in',
	'login-failed': 'Wrong password at login',
	logout: 'Logged out',
	register: 'Registered',
	verify: 'Confirmed the email address',
	'reset-requested': 'Asked for a password reset link',
	reset: 'Reset the password with a link from an email',
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

/** A token as its owner sees it after the first time. Times are ISO 8601 in UTC. */
export interface TokenView {
	id: number
	name: string
	lastFour: string
	scopes: TokenScope[]
	createdAt: string
	expiresAt: string
	expired: boolean
	/** Right to a minute; null while it was never used. */
	lastUsedAt: string | null
}

/**
 * What a token may be made for. None contains another: `read` and `write` are about the forum, those of `messages` about the
 * owner's conversations and nothing else; `moderate` adds the owner's role to `read` and `write`.
 */
export const scopes = ['read', 'write', 'messages:read', 'messages:write', 'moderate'] as const

export type TokenScope = (typeof scopes)[number]

/** How long a token works, in days. There is none without an end: what is forgotten stops by itself. */
export const lifetimes = [7, 30, 90, 365] as const

export const tokenLimits = { nameMax: 60, perMember: 20 } as const
