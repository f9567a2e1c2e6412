/** Where members link other sites and remove them. */
export const loginsPath = '/settings/logins'

export interface LinkedLogin {
	id: number
	provider: string
	title: string
	/** How the member is called there; may be empty. */
	name: string
	affiliation: '' | 'student' | 'staff'
	/** ISO 8601 in UTC. */
	linkedAt: string
	usedAt: string | null
}

/** The ways into the viewer's own account. */
export interface LoginsView {
	linked: LinkedLogin[]
	/** What can still be linked. */
	open: { name: string; title: string }[]
	hasPassword: boolean
}
