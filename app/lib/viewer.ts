/** Who is looking: what the shell shows of them and what the policies ask about. `null` is a visitor without a session. */
export interface SignedIn {
	id: number
	username: string
	name: string
	/** Path of the picture, or null for initials. */
	image: string | null
	role: 'member' | 'moderator' | 'admin'
}

export type Viewer = SignedIn | null

/** Whether this viewer keeps order here. */
export function isModerator(viewer: Viewer): boolean {
	return viewer?.role === 'moderator' || viewer?.role === 'admin'
}
