import type { Scope } from './tokens.limits.ts'

/** A token as its owner sees it after the first time. Times are ISO 8601 in UTC. */
export interface TokenView {
	id: number
	name: string
	lastFour: string
	scopes: Scope[]
	createdAt: string
	expiresAt: string
	expired: boolean
	/** Right to a minute; null while it was never used. */
	lastUsedAt: string | null
}
