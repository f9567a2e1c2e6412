import { config } from '~/config.server.ts'
import { isLoopback } from '~/lib/loopback.ts'

/** The accounts of the demo content that have passwords; the start prints them. */
export const demoEmails = {
	member: 'mira.quillon@eastmere.example',
	moderator: 'odalys.fernbrook@eastmere.example',
} as const

/** Whether the demo accounts work here: only where the site's address is this machine's own. */
export function areDemoAccountsOpen({ publicUrl }: { publicUrl: string } = config()): boolean {
	return isLoopback(new URL(publicUrl).hostname)
}

/** Whether an address is that of a demo account, which nobody enters on this site. */
export function isClosedDemoAccount(email: string): boolean {
	return isDemoAccount(email) && !areDemoAccountsOpen()
}

/** Whether an address is that of a demo account. */
export function isDemoAccount(email: string): boolean {
	return Object.values<string>(demoEmails).includes(email.toLowerCase())
}
