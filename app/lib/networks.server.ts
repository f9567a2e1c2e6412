import { isIPv6 } from 'node:net'

/** The network of an address: for IPv6 the /64 that one customer usually controls. IPv4 mapped to IPv6 (`::ffff:192.0.2.1`) is IPv4. */
export function networkOf(address: string): string {
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
	if (mapped) return mapped
	return isIPv6(address) ? prefixOf(address, 4) : address
}

/** The wider network of an address, for a looser limit: /48 of IPv6, a typical customer's; /24 of IPv4. */
export function wideNetworkOf(address: string): string {
	const holder = networkOf(address)
	if (isIPv6(address) && holder.includes(':')) return prefixOf(address, 3)
	return /^\d+\.\d+\.\d+\.\d+$/.test(holder) ? `${holder.replace(/\.\d+$/, '.0')}/24` : holder
}

/** The prefix of an IPv6 address: its first 16-bit groups, with the length. */
function prefixOf(address: string, groups: number): string {
	const [head = '', tail = ''] = address.split('%')[0]?.toLowerCase().split('::') ?? []
	const first = head.split(':').filter(Boolean)
	const last = tail.split(':').filter(Boolean)
	const gap = address.includes('::') ? 8 - first.length - last.length : 0
	const all = [...first, ...Array<string>(Math.max(0, gap)).fill('0'), ...last]
	return `${all
		.slice(0, groups)
		.map((group) => group.replace(/^0+(?=.)/, ''))
		.join(':')}::/${groups * 16}`
}
