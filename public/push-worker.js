/*
 * Shows what the site pushes while it is closed. It does nothing else: it keeps no pages and answers no requests.
 * A push is { title, body, url, tag, open }, see app/features/notifications/push/delivery.server.ts.
 */

self.addEventListener('install', () => self.skipWaiting())
self.addEventListener('push', (event) => event.waitUntil(show(event.data)))
self.addEventListener('notificationclick', (event) => {
	event.notification.close()
	event.waitUntil(open(event.notification.data.url))
})

async function show(data) {
	const { title, body, url, tag, open } = data.json()
	for (const shown of await self.registration.getNotifications()) if (!open.includes(shown.tag)) shown.close()
	// A tab that is looked at tells it already.
	const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
	if (tabs.some(({ visibilityState }) => visibilityState === 'visible')) return
	await self.registration.showNotification(title, { body, tag, renotify: true, icon: '/favicon.svg', data: { url } })
}

/** Goes to the tab that is at this address already, or opens one. */
async function open(path) {
	const { href } = new URL(path, self.location.origin)
	const tabs = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
	const there = tabs.find(({ url }) => url === href)
	await (there ? there.focus() : self.clients.openWindow(href))
}
