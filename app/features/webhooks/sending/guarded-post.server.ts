import { lookup } from 'node:dns'
import http from 'node:http'
import https from 'node:https'
import { BlockList, isIP, isIPv6, type LookupFunction } from 'node:net'
import { config } from '~/config.server.ts'

/*
 * Requests to addresses that admins typed. They must not reach the machine of the site, nor its network: databases, metadata of clouds and
 * the like trust whoever is there.
 */

/** Milliseconds for the whole request, from looking up the name to the end of the answer. */
const TIME_LIMIT_MS = 10_000
/** Bytes of an answer that are read, as a server may fail while it still writes; they are not kept. */
const MAX_ANSWER_BYTES = 64 * 1024

/** Networks that are not public (IANA, special-purpose address registries). */
const special = new BlockList()
for (const [network, prefix] of [
	...([
		['0.0.0.0', 8],
		['10.0.0.0', 8],
		['100.64.0.0', 10],
		['127.0.0.0', 8],
		['169.254.0.0', 16],
	] as const),
	...([
		['172.16.0.0', 12],
		['192.0.0.0', 24],
		['192.0.2.0', 24],
		['192.88.99.0', 24],
		['192.168.0.0', 16],
	] as const),
	...([
		['198.18.0.0', 15],
		['198.51.100.0', 24],
		['203.0.113.0', 24],
		['224.0.0.0', 3],
	] as const),
] as const)
	special.addSubnet(network, prefix, 'ipv4')
// Within 2000::/3: protocol assignments such as Teredo, examples, 6to4, which leads to addresses of IPv4, and examples again.
for (const [network, prefix] of [
	['2001::', 23],
	['2001:db8::', 32],
	['2002::', 16],
	['3fff::', 20],
] as const)
	special.addSubnet(network, prefix, 'ipv6')
/** What IPv6 has given out; everything else is local, or stands for addresses of IPv4. */
const global = new BlockList()
global.addSubnet('2000::', 3, 'ipv6')

/** Whether an IP address belongs to the internet, rather than to this machine, a local network or nobody. */
export function isPublicAddress(address: string): boolean {
	if (!isIPv6(address)) return !special.check(address, 'ipv4')
	return global.check(address, 'ipv6') && !special.check(address, 'ipv6')
}

/** Why an address cannot be a webhook's, for the form; null for one that can. The name is looked up only when something is sent. */
export function addressFault(address: string): string | null {
	const url = URL.parse(address)
	const allowsPrivate = config().WEBHOOK_PRIVATE_ADDRESSES
	if (!url || !['https:', 'http:'].includes(url.protocol))
		return 'Enter an address such as https://campus.example/hook.'
	if (url.username || url.password) return 'An address with a user name or a password is not possible.'
	if (url.protocol === 'http:' && !allowsPrivate) return 'Enter an address that begins with https://.'
	const host = hostOf(url)
	return isIP(host) ? refusalOf(url, host) : null
}

/** Why nothing may be sent to this IP address; null if something may. */
function refusalOf(url: URL, address: string): string | null {
	const isPublic = isPublicAddress(address)
	if (!isPublic && !config().WEBHOOK_PRIVATE_ADDRESSES) return `${address} is not a public address.`
	return isPublic && url.protocol === 'http:' ? 'A public address must begin with https://.' : null
}

function hostOf({ hostname }: URL): string {
	return hostname.replace(/^\[(.*)\]$/, '$1')
}

/**
 * Sends a POST, and reads the beginning of the answer. Redirects are not followed. The connection is made to an address that was
 * checked, so that a name cannot lead elsewhere after the check.
 * @returns the status of the answer
 * @throws Error with a sentence for admins where there was none, or the address is refused
 */
export async function guardedPost(address: string, headers: Record<string, string>, body: string): Promise<number> {
	const url = new URL(address)
	const fault = addressFault(address)
	if (fault) throw new Error(fault)
	const { request } = url.protocol === 'https:' ? https : http
	return new Promise((resolve, reject) => {
		const signal = AbortSignal.timeout(TIME_LIMIT_MS)
		// Without an agent no connection is kept for later requests, which would skip the look-up.
		const sent = request(url, { method: 'POST', headers, agent: false, signal, lookup: guardedLookup(url) })
		// Whatever happens to the rest of an answer, its status has been read.
		let status: number | null = null
		const end = (fault: string) => (status === null ? reject(new Error(fault)) : resolve(status))
		sent.on('error', ({ message }) => {
			const late = `There was no answer within ${TIME_LIMIT_MS / 1000} seconds.`
			end(signal.aborted ? late : `The server could not be reached: ${message.replace(/\.$/, '')}.`)
		})
		// Of a server that switches to another protocol, Node says nothing else.
		sent.on('close', () => end('The server ended the connection without an answer.'))
		sent.on('response', (answer) => {
			status = answer.statusCode ?? 0
			let size = 0
			answer.on('data', (part: Buffer) => {
				size += part.length
				if (size > MAX_ANSWER_BYTES) answer.destroy()
			})
			answer.on('error', () => {})
		})
		sent.end(body)
	})
}

/** Looks up a name, and refuses it where one of its addresses is refused. */
function guardedLookup(url: URL): LookupFunction {
	return (name, options, callback) => {
		lookup(name, { ...options, all: true }, (error, found) => {
			const fault = found?.map(({ address }) => refusalOf(url, address)).find((refusal) => refusal !== null)
			const first = found?.[0]
			if (error) callback(error, [])
			else if (fault || !first) callback(new Error(fault ?? 'The name has no address.'), [])
			else if (options.all) callback(null, found)
			else callback(null, first.address, first.family)
		})
	}
}
