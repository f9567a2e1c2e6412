/** Where a member sets up how they log in besides their password. */
export const twoFactorPath = '/settings/two-factor'

/** The authenticator app of a member, as only they see it. */
export interface SecondFactorView {
	isOn: boolean
	/** Recovery codes that were not used yet. */
	codesLeft: number
	/** Whether staff can act as such only with it. */
	isRequired: boolean
	/** What an app has to be told while it is set up; null before and after. */
	setup: { secret: string; address: string } | null
}
