import { config } from '~/config.server.ts'

/** Demo accounts with passwords; the start prints them. */
export const demoEmails = {
	member: 'mira.quillon@eastmere.example',
	moderator: 'odalys.fernbrook@eastmere.example',
} as const

/** Whether demo accounts are enabled: only where the site's address is a loopback address. */
export function areDemoAccountsOpen({ publicUrl }: { publicUrl: string } = config()): boolean {
	return isLoopback(new URL(publicUrl).hostname)
}

/** Whether an address is that of a disabled demo account. */
export function isClosedDemoAccount(email: string): boolean {
	return isDemoAccount(email) && !areDemoAccountsOpen()
}

/** Whether an address is that of a demo account. */
export function isDemoAccount(email: string): boolean {
	return Object.values<string>(demoEmails).includes(email.toLowerCase())
}

/** Whether a host, as `URL` spells it, is a loopback address: `localhost`, a name below it, 127.0.0.0/8, or `::1`. */
export function isLoopback(host: string): boolean {
	const name = host.toLowerCase().replace(/\.$/, '')
	return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}
