/*
 * The site's service worker. It shows what the site pushes, and answers a page with the offline page when the network
 * cannot. It stores no page and answers nothing else: saved copies are written by open pages (saved-pages.ts).
 * app/features/home/offline.server.ts puts SHELL before this text: { version, files }.
 */

const SHELL_CACHE = `shell ${SHELL.version}`
/** Ends the address of what only the offline page asks for, so that the files of other pages never wait for this worker. */
const FOR_OFFLINE = '?offline'

/** One push after the other: to ask for notifications while one is being shown makes Chromium forget that one. */
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
self.addEventListener('notificationclick', (event) => {
	event.notification.close()
	event.waitUntil(open(event.notification.data.url))
})

/** Stores the offline page with its files. Without room for them the worker still serves pushes. */
async function install(event) {
	try {
		// Where the browser knows static routes, it does not even ask about these.
		const patterns = ['/assets/*.js', '/media/*', '/realtime/*', '/*.data']
		await event.addRoutes?.(patterns.map((urlPattern) => ({ condition: { urlPattern }, source: 'network' })))
	} catch {
		// A browser that takes them in another form asks.
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

/** Open tabs are untouched: no page but the offline page uses what is removed here. */
async function activate() {
	const names = await caches.keys()
	const old = names.filter((name) => name.startsWith('shell ') && name !== SHELL_CACHE)
	await Promise.all(old.map((name) => caches.delete(name)))
	await self.registration.navigationPreload?.enable()
}

/** Whatever the network answers is the page, errors included. The request is already under way when the worker starts. */
async function answerPage(event) {
	try {
		const answer = (await event.preloadResponse) ?? (await fetch(event.request))
		// Deleted, hidden or no longer open to this reader: the copy goes too.
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

/** The stylesheet is asked for by that name, and the fonts by the stylesheet. */
function isOfOfflinePage({ url, referrer }) {
	return url.endsWith(FOR_OFFLINE) || (referrer.endsWith(FOR_OFFLINE) && url.endsWith('.woff2'))
}

async function answerFromShell(request) {
	const { origin, pathname } = new URL(request.url)
	return (await caches.match(`${origin}${pathname}${FOR_OFFLINE}`, { cacheName: SHELL_CACHE })) ?? fetch(request)
}

/** @param data { title, body, url, tag, open }, see app/features/notifications/push/delivery.server.ts */
async function show(data) {
	const { title, body, url, tag, open } = data.json()
	// Everything that is unread, so it is the number for the app's icon too.
	await self.navigator.setAppBadge?.(open.length).catch(() => {})
	for (const shown of await self.registration.getNotifications()) if (!open.includes(shown.tag)) shown.close()
	// A tab that is looked at tells it already.
	const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
	if (tabs.some(({ visibilityState }) => visibilityState === 'visible')) return
	const icons = { icon: '/icons/icon-192.png', badge: '/icons/badge-96.png' }
	await self.registration.showNotification(title, { body, tag, renotify: true, ...icons, data: { url } })
}

/** Goes to the tab that is at this address already, or opens one. */
async function open(path) {
	const { href } = new URL(path, self.location.origin)
	const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
	const there = tabs.find(({ url }) => url === href)
	await (there ? there.focus() : self.clients.openWindow(href))
}
