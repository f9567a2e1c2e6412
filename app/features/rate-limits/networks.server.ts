import { isIPv6 } from 'node:net'

/**
 * What stands for the holder of an address: of IPv6 the first 64 bits, as one reader commands all addresses that share them.
 * IPv4 written as IPv6 (`::ffff:192.0.2.1`) is IPv4.
 */
export function network(address: string): string {
	const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1]
	if (mapped) return mapped
	return isIPv6(address) ? prefixOf(address, 4) : address
}

/** The network round an address, for a looser limit: of IPv6 the first 48 bits, a usual customer's; of IPv4 the first 24. */
export function wideNetwork(address: string): string {
	const holder = network(address)
	if (isIPv6(address) && holder.includes(':')) return prefixOf(address, 3)
	return /^\d+\.\d+\.\d+\.\d+$/.test(holder) ? `${holder.replace(/\.\d+$/, '.0')}/24` : holder
}

/** The first groups of 16 bits of an IPv6 address, with the length of the prefix. */
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
