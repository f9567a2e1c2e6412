import { once } from 'node:events'
import { connect } from 'node:tls'
import type { Config } from '~/config.server.ts'
import { vapidKeys } from '~/features/notifications/push/vapid.server.ts'
import { errorMessageOf, type Finding, findings } from './finding.ts'

const say = findings('Push')
const TIMEOUT_MS = 6_000

/** An existing host for each wildcard. */
const known: Record<string, string> = {
	'*.push.services.mozilla.com': 'updates.push.services.mozilla.com',
	'*.push.apple.com': 'web.push.apple.com',
}

/** Checks the key that signs pushes, and whether the browsers' push services can be reached. */
export async function checkPush(settings: Config): Promise<Finding[]> {
	try {
		vapidKeys(settings)
	} catch (error) {
		return [
			say.fault(`VAPID_PRIVATE_KEY is no key (${errorMessageOf(error)}). Take the one of DATA_DIR/vapid-private-key.`),
		]
	}
	if (!settings.secure && !/^http:\/\/(localhost|127\.|\[::1\])/.test(settings.publicUrl))
		return [say.fault('Browsers only allow notifications on https:// sites, and PUBLIC_URL is http://.')]
	const hosts = settings.PUSH_HOSTS.map((host) => known[host] ?? host).filter((host) => !host.startsWith('*'))
	const failures = await Promise.all(hosts.map(async (host) => ({ host, failure: await reach(host) })))
	const failed = failures.filter(({ failure }) => failure !== null)
	if (failed.length === 0) return [say.ok(`The push services can be reached: ${hosts.join(', ')}.`)]
	const list = failed.map(({ host, failure }) => `${host} (${failure})`).join(', ')
	return [
		say.fault(
			`These push services cannot be reached: ${list}. Let the site out to port 443 of them, or take them out of PUSH_HOSTS.`,
		),
	]
}

/** @returns null when a host accepts a TLS connection, else the error */
async function reach(host: string): Promise<string | null> {
	const [name = '', port] = host.split(':')
	const socket = connect({ host: name, port: Number(port ?? 443), servername: name, timeout: TIMEOUT_MS })
	socket.once('timeout', () => socket.destroy(new Error('no answer in time')))
	try {
		await once(socket, 'secureConnect')
		return null
	} catch (error) {
		return errorMessageOf(error)
	} finally {
		socket.destroy()
	}
}
