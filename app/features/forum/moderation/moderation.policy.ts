import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'

/** What can be reported and judged. */
export type TargetKind = 'query' | 'comment' | 'profile'

/** What a member's row says about whether they may write. */
export interface Standing {
	/** ISO 8601 in UTC; `infinity` for ever; null when not suspended. A moment that has passed suspends nobody. */
	suspendedUntil: string | null
	/** Why, in the moderator's words. */
	suspendedReason: string
}

/** Whether this viewer may report something; nobody reports what is their own. */
export function mayReport(viewer: Viewer, target: { authorId: number }): viewer is SignedIn {
	return viewer !== null && viewer.id !== target.authorId
}

/** Whether this viewer sees the queue and decides cases. */
export function mayModerate(viewer: Viewer): viewer is SignedIn {
	return isModerator(viewer)
}

/** Whether this viewer may see a text that is withheld: who wrote it, and moderators. */
export function maySeeWithheld(viewer: Viewer, text: { authorId: number }): boolean {
	return viewer?.id === text.authorId || isModerator(viewer)
}

/** Whether this viewer may change or delete a text that is withheld: who wrote it, while it waits. */
export function mayChangeWithheld(viewer: Viewer, text: { authorId: number; withheld: string }): boolean {
	return viewer?.id === text.authorId && text.withheld === 'waiting'
}

/** Whether this viewer may suspend a member or lift it: a moderator a member, an admin a moderator too, nobody an admin. */
export function maySuspend(viewer: Viewer, member: { id: number; role: SignedIn['role'] }): boolean {
	if (!mayModerate(viewer) || viewer.id === member.id || member.role === 'admin') return false
	return member.role === 'member' || viewer.role === 'admin'
}

/** Whether this viewer may make this member a moderator, or take that back. Admins are named by the settings. */
export function maySetRole(viewer: Viewer, member: { id: number; role: SignedIn['role'] }): boolean {
	return viewer?.role === 'admin' && viewer.id !== member.id && member.role !== 'admin'
}

/** Whether this viewer may end every session of this member: an admin those of everybody else, other admins too. */
export function mayLogOut(viewer: Viewer, member: { id: number }): boolean {
	return viewer?.role === 'admin' && viewer.id !== member.id
}

/** Whether this viewer may read who did what. */
export function mayReadLog(viewer: Viewer): viewer is SignedIn {
	return viewer?.role === 'admin'
}

/**
 * Why this member may write nothing now, as a sentence for them; null when they may.
 * @param now milliseconds of the epoch
 */
export function suspensionOf({ suspendedUntil, suspendedReason }: Standing, now: number): string | null {
	if (suspendedUntil === null) return null
	const because = suspendedReason ? ` Reason: ${suspendedReason}` : ''
	if (suspendedUntil === 'infinity') return `You are suspended for good and cannot write here.${because}`
	if (Date.parse(suspendedUntil) <= now) return null
	const day = new Date(suspendedUntil)
		.toUTCString()
		.replace(/^\w+, /, '')
		.replace(/:\d\d GMT$/, ' UTC')
	return `You are suspended until ${day} and cannot write here until then.${because}`
}
