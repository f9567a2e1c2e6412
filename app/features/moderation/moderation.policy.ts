import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'

/** What can be reported and judged. */
export type TargetKind = 'query' | 'comment' | 'profile'

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

/** Whether this viewer may hide this member's profile or remove a part of it: whoever may suspend them. */
export function mayGovernProfile(viewer: Viewer, member: { id: number; role: SignedIn['role'] }): boolean {
	return maySuspend(viewer, member)
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
