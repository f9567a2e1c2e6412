/** The page where members link and unlink identities. */
export const loginsPath = '/settings/logins'

export interface LinkedLogin {
	id: number
	provider: string
	title: string
	/** The member's name there; may be empty. */
	name: string
	affiliation: '' | 'student' | 'staff'
	/** ISO 8601 in UTC. */
	linkedAt: string
	usedAt: string | null
}

/** The login methods of the viewer's account. */
export interface LoginsView {
	linked: LinkedLogin[]
	/** What can still be linked. */
	open: { name: string; title: string }[]
	hasPassword: boolean
}
