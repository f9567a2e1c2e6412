import { type AddressProblem, addressesPath } from '~/features/bounces/bounces.view.ts'

/** The page that changes the addresses of an account. */
export const emailSettingsPath = addressesPath

/** The first address, which mails go to, or the second one. */
export type EmailSlot = 'email' | 'second_email'

/** The addresses of an account, for its member only. */
export interface EmailsView {
	/** Mails go here. */
	email: string
	isConfirmed: boolean
	/** Whether a link can confirm the first address: it is not confirmed, and the account has the password that the link may ask for. */
	mayConfirm: boolean
	/** The second, personal address; null without one. */
	second: string | null
	/** The address that waits for confirmation. */
	pending: { email: string; place: EmailSlot } | null
	/** Addresses that bounce or complained. */
	problems: AddressProblem[]
	/** The address of a followed test link, with its token; `over` for an expired link, null without one. */
	tested: { email: string; token: string } | 'over' | null
	/** Domains allowed for the first address; empty if all are. */
	domains: readonly string[]
}
