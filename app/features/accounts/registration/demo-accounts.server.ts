import { config } from '~/config.server.ts'

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

/** Whether a host, as `URL` spells it, is this machine's own: `localhost`, a name below it, 127.0.0.0/8, or `::1`. */
export function isLoopback(host: string): boolean {
	const name = host.toLowerCase().replace(/\.$/, '')
	return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}
