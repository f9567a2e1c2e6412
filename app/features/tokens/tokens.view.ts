/** A token as its owner sees it later. Times are ISO 8601 in UTC. */
export interface TokenView {
	id: number
	name: string
	lastFour: string
	scopes: TokenScope[]
	createdAt: string
	expiresAt: string
	expired: boolean
	/** To the minute; null if it was never used. */
	lastUsedAt: string | null
}

/**
 * The scopes of tokens. None includes another: `read` and `write` cover the forum, those of `messages` only the owner's conversations;
 * `moderate` adds the owner's role to `read` and `write`.
 */
export const scopes = ['read', 'write', 'messages:read', 'messages:write', 'moderate'] as const

export type TokenScope = (typeof scopes)[number]

/** Lifetimes in days. All tokens expire, so that forgotten ones do too. */
export const lifetimes = [7, 30, 90, 365] as const

export const tokenLimits = { nameMax: 60, perMember: 20 } as const
