import { WORKER_PATH } from '~/offline/client.ts'

/* The browser's side of pushes. Loaded by the settings page only. */

/** `uninstalled`: pushes work only for sites on the home screen. `blocked`: the reader has blocked them. */
export type PushState = 'unsupported' | 'uninstalled' | 'blocked' | 'off' | 'on'

/** The state of this browser. Settings that forbid storage forbid service workers too. @param endpoints browsers that the server pushes to for this member */
export async function findPushState(publicKey: string, endpoints: string[]): Promise<PushState> {
	if (!('serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window))
		return isAppleTouch() ? 'uninstalled' : 'unsupported'
	if (Notification.permission === 'denied') return 'blocked'
	if (Notification.permission !== 'granted') return 'off'
	const registration = await navigator.serviceWorker.getRegistration().catch(() => null)
	if (registration === null) return 'unsupported'
	const subscription = await registration?.pushManager.getSubscription()
	return subscription && endpoints.includes(subscription.endpoint) && hasKey(subscription, publicKey) ? 'on' : 'off'
}

/** Asks the member for permission, subscribes, and tells the server. @throws Error with a sentence for the member */
export async function turnOnPush(publicKey: string): Promise<PushState> {
	const permission = await Notification.requestPermission()
	if (permission !== 'granted') return permission === 'denied' ? 'blocked' : 'off'
	const subscription = await subscribe(publicKey)
	const { p256dh = '', auth = '' } = subscription.toJSON().keys ?? {}
	await sendToSite({ intent: 'on', endpoint: subscription.endpoint, p256dh, auth })
	return 'on'
}

/** Tells the server, then unsubscribes. @throws Error as {@link turnOnPush} */
export async function turnOffPush(): Promise<PushState> {
	const registration = await navigator.serviceWorker.getRegistration()
	const subscription = await registration?.pushManager.getSubscription()
	if (!subscription) return 'off'
	await sendToSite({ intent: 'off', endpoint: subscription.endpoint })
	// The server no longer sends anything there, whether or not the push service can be reached.
	await subscription.unsubscribe().catch(() => false)
	return 'off'
}

/** An iPad claims to be a Mac, but no Mac has a touch screen. */
function isAppleTouch(): boolean {
	const { userAgent, maxTouchPoints } = navigator
	return /iPhone|iPad|iPod/.test(userAgent) || (userAgent.includes('Macintosh') && maxTouchPoints > 1)
}

async function subscribe(publicKey: string): Promise<PushSubscription> {
	const { pushManager } = await startWorker()
	try {
		const before = await pushManager.getSubscription()
		if (before && hasKey(before, publicKey)) return before
		await before?.unsubscribe()
		return await pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey })
	} catch {
		throw new Error('The push service of your browser cannot be reached. Try again later.')
	}
}

/** Registers the service worker and waits for it; `serviceWorker.ready` would wait for ever for one that cannot be installed. */
async function startWorker(): Promise<ServiceWorkerRegistration> {
	try {
		const registration = await navigator.serviceWorker.register(WORKER_PATH)
		if (!registration.active) await activated(registration.installing ?? registration.waiting)
		return registration
	} catch {
		throw new Error('Notifications could not be set up in this browser. Reload the page to try again.')
	}
}

/** Settles once a new worker is active, or has failed. */
function activated(worker: ServiceWorker | null): Promise<void> {
	return new Promise((resolve, reject) => {
		const look = () => {
			if (worker?.state === 'activated') resolve()
			else if (!worker || worker.state === 'redundant') reject(new Error('The service worker could not be installed.'))
		}
		worker?.addEventListener('statechange', look)
		look()
	})
}

/** Whether a subscription was made for this site's key; otherwise nothing would arrive. */
function hasKey({ options }: PushSubscription, publicKey: string): boolean {
	const bytes = new Uint8Array(options.applicationServerKey ?? new ArrayBuffer())
	const text = btoa(String.fromCharCode(...bytes))
	return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '') === publicKey
}

async function sendToSite(fields: Record<string, string>): Promise<void> {
	const answer = await fetch('/notifications/push', { method: 'POST', body: new URLSearchParams(fields) }).catch(
		() => null,
	)
	if (answer?.ok) return
	const said: { message?: string } = (await answer?.json().catch(() => null)) ?? {}
	throw new Error(said.message ?? 'The site cannot be reached. Try again in a moment.')
}
