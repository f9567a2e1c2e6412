import { lookup } from 'node:dns/promises'
import type { Config } from '~/config.server.ts'
import { doctorHeader, doctorToken, type ObservedRequest } from '../../server/health.ts'
import { errorMessageOf, type Finding, findings, noHost, underlyingCodeOf } from './finding.ts'

const address = findings('PUBLIC_URL')
const proxy = findings('Proxy')
const TIMEOUT_MS = 8_000
/** A forged client address, to test the proxy (RFC 5737: reserved for documentation). */
const CLAIMED = '203.0.113.7'

type Settings = Pick<Config, 'PUBLIC_URL' | 'publicUrl' | 'secure' | 'TRUST_PROXY' | 'AUTH_SECRET' | 'dataDir'>

/** The site's response at its public address, and how the doctor's request reached it. */
interface Answer {
	status?: string
	version?: string
	seen?: ObservedRequest
}

interface Dns {
	lookup: (domain: string) => Promise<unknown>
}

/** Resolves PUBLIC_URL, requests the site there, and checks the proxy in front of it. @param dns a resolver; by default the machine's */
export async function checkAddress(settings: Settings, dns: Dns = { lookup }): Promise<Finding[]> {
	const { publicUrl, PUBLIC_URL } = settings
	const { hostname } = new URL(publicUrl)
	const isLocal = /^(localhost|127\..*|\[::1\])$|\.localhost$/.test(hostname)
	if (!PUBLIC_URL || isLocal)
		return [
			address.warning(`${publicUrl} is this machine alone. Set PUBLIC_URL to the address that people shall type.`),
		].concat(PUBLIC_URL ? await ask(settings) : [])
	if (!/^[\d.]+$|^\[/.test(hostname)) {
		try {
			await dns.lookup(hostname)
		} catch (error) {
			if (!noHost.test(underlyingCodeOf(error)))
				return [address.warning(`DNS does not say whether there is ${hostname}: ${errorMessageOf(error)}.`)]
			return [address.fault(`${hostname} is not in DNS. Add an A or AAAA record with the address of the proxy.`)]
		}
	}
	return ask(settings)
}

async function ask(settings: Settings): Promise<Finding[]> {
	const { publicUrl } = settings
	let answer: Answer | null = null
	try {
		const response = await fetch(`${publicUrl}/healthz`, {
			redirect: 'manual',
			headers: { [doctorHeader]: doctorToken(), 'X-Forwarded-For': CLAIMED },
			signal: AbortSignal.timeout(TIMEOUT_MS),
		})
		answer = (await response.json().catch(() => null)) as Answer | null
		if (answer?.status !== 'ok')
			return [
				address.fault(
					`Something else than this site answers at ${publicUrl} (status ${response.status}). Is the site started, and does the proxy pass requests to its port?`,
				),
			]
	} catch (error) {
		return [unreachable(publicUrl, error)]
	}
	return [...assessAnswer(answer, settings), await checkSocket(publicUrl)]
}

function unreachable(publicUrl: string, error: unknown): Finding {
	const code = underlyingCodeOf(error)
	if (/CERT|SELF_SIGNED|UNABLE_TO|ERR_TLS|EPROTO/.test(code))
		return address.fault(`The certificate of ${publicUrl} is not right (${code}): browsers refuse it as well.`)
	if ((error as Error).name === 'TimeoutError')
		return address.warning(
			`Nobody answers at ${publicUrl} from here. Some networks do not let a machine reach its own public address; try it from elsewhere.`,
		)
	return address.fault(`Nobody answers at ${publicUrl}: ${errorMessageOf(error)}. Are the site and the proxy started?`)
}

/** Assesses how the doctor's request reached the site. It forged its client address, as anybody could. */
export function assessAnswer({ seen }: Answer, { publicUrl, TRUST_PROXY, secure }: Settings): Finding[] {
	if (!seen)
		return [
			address.fault(
				`The site at ${publicUrl} has another secret: it is not the one of this DATA_DIR, or AUTH_SECRET differs.`,
			),
		]
	const { forwarded } = seen
	const isProxied = forwarded.proto !== null || forwarded.host !== null || forwarded.for !== CLAIMED
	if (!TRUST_PROXY) {
		if (isProxied || secure)
			return [
				proxy.fault('A proxy is in front, and TRUST_PROXY is not set: all visitors count as one. Set TRUST_PROXY=1.'),
			]
		return [address.ok(`The site answers at ${publicUrl}, with no proxy in front.`)]
	}
	if (!isProxied)
		return [
			proxy.fault(
				'TRUST_PROXY is set, and no proxy is in front, or it passes X-Forwarded-* on from anybody: each client says itself who it is. Reach the site through the proxy alone (HOST=localhost), which sets these headers.',
			),
		]
	const found: Finding[] = []
	if (forwarded.for === null)
		found.push(
			proxy.fault(
				'The proxy does not say who asks: all visitors count as one. In nginx: proxy_set_header X-Forwarded-For $remote_addr;',
			),
		)
	else if (seen.address === CLAIMED)
		found.push(
			proxy.fault(
				'The proxy passes on what a client claims in X-Forwarded-For, so that limits can be evaded. In nginx: proxy_set_header X-Forwarded-For $remote_addr;',
			),
		)
	if (seen.origin !== publicUrl)
		found.push(
			proxy.fault(
				`The site takes requests to ${publicUrl} for ${seen.origin}. In nginx: proxy_set_header X-Forwarded-Proto $scheme; and X-Forwarded-Host $host;`,
			),
		)
	return found.length > 0
		? found
		: [address.ok(`The site answers at ${publicUrl}, and the proxy says rightly who asks.`)]
}

/** Opens a WebSocket, as open pages do, and closes it. */
function checkSocket(publicUrl: string): Promise<Finding> {
	const url = `${publicUrl.replace(/^http/, 'ws')}/realtime/?EIO=4&transport=websocket`
	return new Promise((resolve) => {
		const socket = new WebSocket(url)
		const end = (finding: Finding) => {
			clearTimeout(timer)
			resolve(finding)
			socket.close()
		}
		const refused = proxy.fault(
			'WebSockets do not get through, so that messages come late. In nginx: proxy_http_version 1.1; and proxy_set_header Upgrade and Connection.',
		)
		const timer = setTimeout(() => end(refused), TIMEOUT_MS)
		socket.addEventListener('open', () => end(proxy.ok('WebSockets get through.')))
		socket.addEventListener('error', () => end(refused))
	})
}
