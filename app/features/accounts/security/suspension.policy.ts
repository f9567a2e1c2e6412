/** What a member's row says about whether they may write. */
export interface AccountStatus {
	/** ISO 8601 in UTC; `infinity` for ever; null when not suspended. A moment that has passed suspends nobody. */
	suspendedUntil: string | null
	/** Why, in the moderator's words. */
	suspendedReason: string
}

/**
 * Why this member may write nothing now, as a sentence for them; null when they may.
 * @param now milliseconds of the epoch
 */
export function suspensionOf({ suspendedUntil, suspendedReason }: AccountStatus, now: number): string | null {
	if (suspendedUntil === null) return null
	const because = suspendedReason ? ` Reason: ${suspendedReason}` : ''
	if (suspendedUntil === 'infinity') return `You are permanently suspended and cannot post here.${because}`
	if (Date.parse(suspendedUntil) <= now) return null
	const day = new Date(suspendedUntil)
		.toUTCString()
		.replace(/^\w+, /, '')
		.replace(/:\d\d GMT$/, ' UTC')
	return `You are suspended until ${day} and cannot post here until then.${because}`
}
