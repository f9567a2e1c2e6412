import { NotAllowed } from './errors.ts'

/** A logged-in viewer: what the shell shows and policies need. `null` is a visitor. */
export interface SignedIn {
	id: number
	username: string
	name: string
	/** Path of the picture, or null for initials. */
	image: string | null
	role: 'member' | 'moderator' | 'admin'
}

export type Viewer = SignedIn | null

/** Whether this viewer is a moderator or an admin. */
export function isModerator(viewer: Viewer): boolean {
	return viewer?.role === 'moderator' || viewer?.role === 'admin'
}

/** Requires an admin. @throws NotAllowed for everybody else */
export function requireAdmin(viewer: Viewer): SignedIn {
	if (viewer?.role !== 'admin') throw new NotAllowed('Only admins can do this.')
	return viewer
}

/** @throws NotAllowed for a visitor */
export function requireSignedIn(viewer: Viewer): SignedIn {
	if (!viewer) throw new NotAllowed('Log in first.')
	return viewer
}
