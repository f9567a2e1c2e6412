/** The page that sets up an authenticator app. */
export const twoFactorPath = '/settings/two-factor'

/** The authenticator app of a member, for that member only. */
export interface SecondFactorView {
	isOn: boolean
	/** Unused recovery codes. */
	codesLeft: number
	/** Whether the member's role has no rights without it. */
	isRequired: boolean
	/** What the app needs to be set up; null unless that is in progress. */
	setup: { secret: string; address: string } | null
}
