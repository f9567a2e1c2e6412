import { type AddressTrouble, addressesPath } from '~/features/bounces/bounces.view.ts'

/** Where the addresses of an account are changed. */
export const emailSettingsPath = addressesPath

/** Which of the two addresses of an account: the one that mails go to, or the one beside it. */
export type EmailPlace = 'email' | 'second_email'

/** The addresses of an account, for its member alone. */
export interface EmailsView {
	/** Mails go here. */
	email: string
	isConfirmed: boolean
	/** The personal address beside it; null where there is none. */
	second: string | null
	/** What waits to be confirmed. */
	pending: { email: string; place: EmailPlace } | null
	/** What is wrong with them. */
	troubles: AddressTrouble[]
	/** The one that a test mail arrived at, whose link was followed, with its token; null for none. */
	tested: { email: string; token: string } | null
	/** Domains that an address in place of the first must have; empty where any will do. */
	domains: readonly string[]
}
