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
