/** The page that adds and removes passkeys. */
export const passkeysPath = '/settings/passkeys'
/** The address that confirms a member's identity by a passkey. */
export const confirmByPasskeyPath = '/confirm-identity/passkey'

/** Passkeys per member. */
export const MAX_PASSKEYS = 20

/** A passkey as its member sees it. */
export interface PasskeyView {
	id: number
	name: string
	/** ISO 8601 in UTC. */
	addedAt: string
	usedAt: string | null
}
