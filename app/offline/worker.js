/*
 * The site's service worker. It shows pushes, and responds to navigations with the offline page when the network fails. It stores no pages
 * and handles no other requests: open pages write the copies (saved-pages.ts). app/features/home/offline.server.ts puts SHELL before this
 * text: { version, files, pushKey }.
 */

const SHELL_CACHE = `shell ${SHELL.version}`
/** Suffix of the offline page's requests, so that files of other pages never wait for this worker. */
const FOR_OFFLINE = '?offline'

/** Serializes pushes: calling getNotifications while one is being shown makes Chromium lose that one. */
let lastPush = Promise.resolve()

self.addEventListener('install', (event) => event.waitUntil(install(event)))
self.addEventListener('activate', (event) => event.waitUntil(activate()))
self.addEventListener('fetch', (event) => {
	const { request } = event
	if (request.mode === 'navigate' && request.method === 'GET') event.respondWith(answerPage(event))
	else if (isOfOfflinePage(request)) event.respondWith(answerFromShell(request))
})
self.addEventListener('message', ({ data }) => data === 'take over' && self.skipWaiting())
self.addEventListener('push', (event) => {
	lastPush = lastPush.catch(() => {}).then(() => show(event.data))
	event.waitUntil(lastPush)
})
self.addEventListener('pushsubscriptionchange', (event) => event.waitUntil(renewSubscription()))
self.addEventListener('notificationclick', (event) => {
	event.notification.close()
	event.waitUntil(open(event.notification.data))
})

/** Stores the offline page with its files. If that fails, the worker still handles pushes. */
async function install(event) {
	try {
		// With static routing, browsers bypass the worker for these.
		const patterns = ['/assets/*.js', '/media/*', '/realtime/*', '/*.data']
		await event.addRoutes?.(patterns.map((urlPattern) => ({ condition: { urlPattern }, source: 'network' })))
	} catch {
		// A browser with another syntax calls the worker.
	}
	try {
		const cache = await caches.open(SHELL_CACHE)
		await Promise.all(SHELL.files.map((file) => store(cache, file)))
	} catch (error) {
		if (error.name !== 'QuotaExceededError') throw error
		await caches.delete(SHELL_CACHE)
	}
}

async function store(cache, file) {
	const answer = await fetch(file, { credentials: 'omit' })
	if (!answer.ok) throw new Error(`${file} answered ${answer.status}`)
	await cache.put(file + FOR_OFFLINE, answer)
}

/** Safe for open tabs: only the offline page uses what is deleted here. */
async function activate() {
	const names = await caches.keys()
	const old = names.filter((name) => name.startsWith('shell ') && name !== SHELL_CACHE)
	await Promise.all(old.map((name) => caches.delete(name)))
	await self.registration.navigationPreload?.enable()
}

/** Any response is the page, including errors. The request may have started before the worker (navigation preload). */
async function answerPage(event) {
	try {
		const answer = (await event.preloadResponse) ?? (await fetch(event.request))
		// Deleted, hidden or no longer accessible to this reader: the copy is deleted too.
		if ([403, 404, 410].includes(answer.status)) event.waitUntil(removeCopies(event.request.url))
		return answer
	} catch (error) {
		const page = await caches.match(`/offline${FOR_OFFLINE}`, { cacheName: SHELL_CACHE })
		if (page) return page
		throw error
	}
}

async function removeCopies(url) {
	const { pathname } = new URL(url)
	for (const name of await caches.keys())
		if (name.startsWith('saved:')) await (await caches.open(name)).delete(pathname)
}

/** The page requests the stylesheet with the suffix, and the stylesheet the fonts. */
function isOfOfflinePage({ url, referrer }) {
	return url.endsWith(FOR_OFFLINE) || (referrer.endsWith(FOR_OFFLINE) && url.endsWith('.woff2'))
}

async function answerFromShell(request) {
	const { origin, pathname } = new URL(request.url)
	return (await caches.match(`${origin}${pathname}${FOR_OFFLINE}`, { cacheName: SHELL_CACHE })) ?? fetch(request)
}

/** @param data { title, body, url, read, tag, open, unread }, see app/features/notifications/push/delivery.server.ts */
async function show(data) {
	const { title, body, url, read, tag, open, unread } = data.json()
	await self.navigator.setAppBadge?.(unread).catch(() => {})
	for (const shown of await self.registration.getNotifications()) if (!open.includes(shown.tag)) shown.close()
	// A visible tab shows it already.
	const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
	if (tabs.some(({ visibilityState }) => visibilityState === 'visible')) return
	const icons = { icon: '/icons/icon-192.png', badge: '/icons/badge-96.png' }
	await self.registration.showNotification(title, { body, tag, renotify: true, ...icons, data: { url, read } })
}

/**
 * The browser has replaced or dropped its subscription: the server gets the new one, if it pushed to this session's browser. Not all
 * browsers name the two in the event.
 */
async function renewSubscription() {
	const { pushManager } = self.registration
	const own = { userVisibleOnly: true, applicationServerKey: SHELL.pushKey }
	const made = (await pushManager.getSubscription()) ?? (await pushManager.subscribe(own))
	const { endpoint, keys } = made.toJSON()
	const body = new URLSearchParams({ intent: 'renew', endpoint, p256dh: keys.p256dh, auth: keys.auth })
	await fetch('/notifications/push', { method: 'POST', body })
}

/** Focuses the tab that shows what the push is about, or opens one, and marks it as read. A saved copy has the path of its page. */
async function open({ url: path, read }) {
	const { href } = new URL(path, self.location.origin)
	const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
	const there = tabs.find(({ url }) => url === href)
	if (there) await Promise.all([there.focus(), read && fetch(read, { redirect: 'manual' })])
	else await self.clients.openWindow(new URL(self.navigator.onLine ? (read ?? path) : path, href).href)
}
