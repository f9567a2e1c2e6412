import { type AddressProblem, addressesPath } from '~/features/bounces/bounces.view.ts'

/** Where the addresses of an account are changed. */
export const emailSettingsPath = addressesPath

/** Which of the two addresses of an account: the one that mails go to, or the one beside it. */
export type EmailSlot = 'email' | 'second_email'

/** The addresses of an account, for its member alone. */
export interface EmailsView {
	/** Mails go here. */
	email: string
	isConfirmed: boolean
	/** The personal address beside it; null where there is none. */
	second: string | null
	/** What waits to be confirmed. */
	pending: { email: string; place: EmailSlot } | null
	/** What is wrong with them. */
	problems: AddressProblem[]
	/** The one that a test mail arrived at, whose link was followed, with its token; `over` for a link that works no more, null for none. */
	tested: { email: string; token: string } | 'over' | null
	/** Domains that an address in place of the first must have; empty where any will do. */
	domains: readonly string[]
}
