/** Where members add and remove passkeys. */
export const passkeysPath = '/settings/passkeys'
/** Where a member who is logged in confirms who they are by one. */
export const confirmByPasskeyPath = '/confirm-identity/passkey'

/** How many a member can have. */
export const MAX_PASSKEYS = 20

/** A passkey as its member sees it. */
export interface PasskeyView {
	id: number
	name: string
	/** ISO 8601 in UTC. */
	addedAt: string
	usedAt: string | null
}
