/** The page that asks for a link, and that the link opens. */
export const linkingPath = '/login/link'

/** The notice after a login of another site was linked. */
export const LINKED = 'Linked. You can log in with it from now on.'

/** What the page shows, by what its browser did before. */
export type LinkingView =
	/** It logged in, and may have a link mailed; `message` says why the link in the address does not count. */
	| ({ state: 'begun'; message: string } & WaitingLogin)
	/** It has to log in with the provider first: the link was opened in another browser, or after a while. */
	| { state: 'elsewhere'; provider: string; label: string }
	/** It may link the two. */
	| ({ state: 'open'; account: LinkedAccount } & WaitingLogin)
	/** The link does not count, and the browser has nothing to link. */
	| { state: 'over'; message: string }

/** A login of this browser that may be linked. */
export interface WaitingLogin {
	/** The button of the login page. */
	label: string
	/** What the login service calls the person; empty if a node of an earlier version stored the login. */
	identityName: string
	/** The address that the login service vouches for. */
	email: string
}

/** The account that a link opens, for its reader to recognize. */
export interface LinkedAccount {
	name: string
	username: string
	/** ISO 8601 in UTC. */
	registeredAt: string
	/** Whether its address was never confirmed: its password, passkeys, second factor, linked logins, sessions and tokens then end. */
	losesCredentials: boolean
}
