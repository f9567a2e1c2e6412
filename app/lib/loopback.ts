/** Whether a host, as `URL` spells it, is this machine's own: `localhost`, a name below it, 127.0.0.0/8, or `::1`. */
export function isLoopback(host: string): boolean {
	const name = host.toLowerCase().replace(/\.$/, '')
	return name === 'localhost' || name.endsWith('.localhost') || name === '[::1]' || /^127(\.\d{1,3}){3}$/.test(name)
}
