import type { BrowserContext, CDPSession, Page, Worker } from '@playwright/test'
import { chromiumFlags, findWholeBrowser } from '../../scripts/support/chromium.ts'
import { enrol, expect, expectNoViolations, test } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/*
 * Pushes in a real browser. Chromium cannot use a push service without the network, and its headless shell allows no notifications, so one
 * journey stubs both. In the other, the worker and its notifications are real. tests/process/push.db.test.ts covers the push service.
 */

test.use({ serviceWorkers: 'allow' })

// The next journey must find no worker. A closed context is not used again.
test.afterEach(({ context }) => context.close())

const says = {
	off: 'Notifications are off in this browser.',
	on: 'Notifications are on in this browser, even when the site is closed, as long as you are logged in.',
}

/** Makes the browser allow notifications and return this subscription on request, until it is unsubscribed. */
async function answerForPushService(context: BrowserContext, endpoint: string): Promise<void> {
	await context.addInitScript((address) => {
		Object.defineProperty(Notification, 'permission', { get: () => 'granted' })
		Notification.requestPermission = async () => 'granted'
		const point = 'BIoZNTw4aZzWioXAyOilIdU12a1kP8Uo6luv7lJXUKQdWXpSaY2RBjQMfMO6nmk6E_Lf-hIij9nFLDG0YoeFzac'
		const subscription = (key: string) => ({
			endpoint: localStorage.getItem('replaced') ?? address,
			options: { applicationServerKey: Uint8Array.from(atob(key), (letter) => letter.charCodeAt(0)).buffer },
			toJSON: () => ({ keys: { p256dh: point, auth: 'BTBZMqHH6r4Tts7J_aSIgg' } }),
			unsubscribe: async () => localStorage.removeItem('subscribed'),
		})
		const found = () => localStorage.getItem('subscribed')
		PushManager.prototype.getSubscription = async () => {
			const key = found()
			return (key && subscription(key)) as never
		}
		PushManager.prototype.subscribe = async (options) => {
			const key = String(options?.applicationServerKey).replaceAll('-', '+').replaceAll('_', '/')
			localStorage.setItem('subscribed', key)
			return subscription(key) as never
		}
	}, endpoint)
}

/** Turns on push in the settings, by keyboard. */
async function turnOn(page: Page): Promise<void> {
	await page.goto('/settings')
	await expect(page.getByText(says.off)).toBeVisible()
	await page.getByRole('button', { name: 'Turn on in this browser' }).press('Enter')
	await expect(page.getByText(says.on)).toBeVisible()
	await expect(page.getByRole('button', { name: 'Turn off in this browser' })).toBeFocused()
}

test('the notification grid is saved, and push is turned on and off for this browser', async ({ page, context }) => {
	await page.setViewportSize({ width: 390, height: 844 })
	await page.emulateMedia({ colorScheme: 'dark' })
	await answerForPushService(context, 'https://fcm.googleapis.com/fcm/send/journey')
	await enrol(page, 'Greta Gridley')
	await turnOn(page)
	await page.reload()
	await expect(page.getByText(says.on)).toBeVisible()
	const table = page.getByRole('table')
	await expect(table.getByRole('columnheader')).toHaveText(['Event', 'Site', 'Email', 'Browser'])
	await expect(table.getByRole('row', { name: /^Messages always/ })).toBeVisible()
	await page.getByLabel('Messages: by email').uncheck()
	await page.getByLabel('Replies to my comments: in the browser').uncheck()
	await expectNoViolations(page)
	expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(390)
	await page.getByRole('button', { name: 'Save notifications' }).click()
	await expectNotice(page, 'Notification settings saved.')
	await page.reload()
	await expect(page.getByLabel('Messages: by email')).not.toBeChecked()
	await expect(page.getByLabel('Messages: in the browser')).toBeChecked()
	await expect(page.getByLabel('Replies to my comments: in the browser')).not.toBeChecked()
	await page.getByRole('button', { name: 'Turn off in this browser' }).click()
	await expect(page.getByText(says.off)).toBeVisible()
	await page.reload()
	await expect(page.getByText(says.off)).toBeVisible()
	await page.setViewportSize({ width: 1280, height: 800 })
	await page.emulateMedia({ colorScheme: 'light' })
})

test('a subscription that the browser replaces by itself is the one that the site knows', async ({ page, context }) => {
	await answerForPushService(context, 'https://fcm.googleapis.com/fcm/send/first')
	await enrol(page, 'Petra Replaced')
	await turnOn(page)
	const worker = await serviceWorker(context)
	const second = 'https://fcm.googleapis.com/fcm/send/second'
	await page.evaluate((endpoint) => localStorage.setItem('replaced', endpoint), second)
	await page.reload()
	await expect(page.getByText(says.off)).toBeVisible()
	await worker.evaluate((endpoint) => {
		const point = 'BIoZNTw4aZzWioXAyOilIdU12a1kP8Uo6luv7lJXUKQdWXpSaY2RBjQMfMO6nmk6E_Lf-hIij9nFLDG0YoeFzac'
		const made = { toJSON: () => ({ endpoint, keys: { p256dh: point, auth: 'BTBZMqHH6r4Tts7J_aSIgg' } }) }
		PushManager.prototype.getSubscription = async () => null
		PushManager.prototype.subscribe = async () => made as never
		const scope = self as unknown as { ExtendableEvent: new (type: string) => Event }
		self.dispatchEvent(new scope.ExtendableEvent('pushsubscriptionchange'))
	}, second)
	await expect(async () => {
		await page.reload()
		await expect(page.getByText(says.on)).toBeVisible({ timeout: 2_000 })
	}).toPass({ timeout: 20_000 })
})

test('a browser that blocks notifications and one without scripts get an explanation', async ({
	page,
	context,
	browser,
}) => {
	await page.addInitScript(() =>
		Object.defineProperty(Notification, 'permission', { get: () => 'denied', configurable: true }),
	)
	await enrol(page, 'Nora Silent')
	await page.goto('/settings')
	await expect(page.getByText('Notifications from this site are blocked.')).toBeVisible()
	await expect(page.getByRole('button', { name: /in this browser/ })).toHaveCount(0)
	const plain = await browser.newContext({
		baseURL: process.env.SITE_URL ?? '',
		javaScriptEnabled: false,
		storageState: await context.storageState(),
	})
	const there = await plain.newPage()
	await there.goto('/settings')
	await expect(there.getByText('Notifications in the browser need JavaScript.')).toBeVisible()
	await there.getByLabel('Messages: in the browser').uncheck()
	await there.getByRole('button', { name: 'Save notifications' }).click()
	await expectNotice(there, 'Notification settings saved.')
	await expect(there.getByLabel('Messages: in the browser')).not.toBeChecked()
	await plain.close()
})

test('keyboard only: notifications that the reader blocks when asked leave the focus where they are explained', async ({
	page,
}) => {
	await page.addInitScript(() => {
		Object.defineProperty(Notification, 'permission', { get: () => 'default', configurable: true })
		Notification.requestPermission = async () => 'denied'
	})
	await enrol(page, 'Bianca Blocker')
	await page.goto('/settings')
	await page.getByRole('button', { name: 'Turn on in this browser' }).press('Enter')
	await expect(page.getByText('Notifications from this site are blocked.')).toBeVisible()
	await expect(page.getByRole('heading', { name: 'This browser' })).toBeFocused()
})

test('a browser that forbids storage says that it has no notifications', async ({ page }) => {
	await page.addInitScript(() => {
		Object.defineProperty(Notification, 'permission', { get: () => 'granted', configurable: true })
		const refuse = async () => {
			throw new DOMException('The user denied permission to use Service Worker.', 'SecurityError')
		}
		Object.assign(navigator.serviceWorker, { getRegistration: refuse, register: refuse })
	})
	await enrol(page, 'Nils Cookieless')
	await page.goto('/settings')
	await expect(page.getByText('This browser does not support notifications.')).toBeVisible()
})

test('a service worker that cannot be installed, or is refused, ends turning on with a sentence', async ({
	page,
	context,
}) => {
	await answerForPushService(context, 'https://fcm.googleapis.com/fcm/send/never')
	await page.addInitScript(() => {
		const fail = async () => {
			const installing = Object.assign(new EventTarget(), { state: 'installing' })
			setTimeout(() => {
				installing.state = 'redundant'
				installing.dispatchEvent(new Event('statechange'))
			})
			return { active: null, waiting: null, installing }
		}
		const refuse = async () => {
			throw new DOMException('Failed to register a ServiceWorker for scope.', 'NotSupportedError')
		}
		const register = () => (location.search === '?refused' ? refuse() : fail())
		Object.assign(navigator.serviceWorker, { getRegistration: async () => undefined, register })
	})
	await enrol(page, 'Ingo Workerless')
	for (const address of ['/settings', '/settings?refused']) {
		await page.goto(address)
		const button = page.getByRole('button', { name: 'Turn on in this browser' })
		await button.press('Enter')
		await expect(page.getByRole('alert')).toHaveText(
			'Notifications could not be set up in this browser. Reload the page to try again.',
		)
		await expect(page.getByText(says.off)).toBeVisible()
	}
})

test('the worker shows a push, replaces its own, closes those read elsewhere, and opens the target', async ({
	playwright,
}) => {
	const executablePath = findWholeBrowser()
	test.skip(executablePath === undefined, 'Notifications need a whole Chromium; only its headless shell is installed.')
	const browser = await playwright.chromium.launch({ executablePath, args: chromiumFlags() })
	const context = await browser.newContext({ baseURL: process.env.SITE_URL ?? '' })
	await context.grantPermissions(['notifications'], { origin: process.env.SITE_URL ?? '' })
	const page = await context.newPage()
	await page.goto('/login')
	await page.evaluate(async () => {
		await navigator.serviceWorker.register('/service-worker.js')
		await navigator.serviceWorker.ready
	})
	const worker = await serviceWorker(context)
	const push = await pusher(await context.newCDPSession(page), worker)
	const message = {
		title: 'Mira Quillon',
		body: 'One',
		url: '/messages/mira.quillon',
		tag: 'c1',
		open: ['c1'],
		unread: 7,
	}

	await worker.evaluate(() => {
		const setAppBadge = async (count: number) => Object.assign(self, { badge: count })
		Object.defineProperty(self.navigator, 'setAppBadge', { value: setAppBadge })
	})
	await page.goto('about:blank')
	// The worker learns with a delay that the page has gone.
	await expect.poll(() => lookedAt(worker)).toBe(0)
	await push({ ...message, tag: 'n7', title: 'Tomas commented on', body: 'Why?', open: ['c1', 'n7'] })
	await expect.poll(() => shown(worker)).toEqual(['Tomas commented on: Why?'])
	expect(await worker.evaluate(() => (self as unknown as { badge: number }).badge)).toBe(7)
	await push({ ...message, open: ['c1', 'n7'] })
	await push({ ...message, title: 'Mira Quillon, 2 new messages', body: 'Two', open: ['c1', 'n7'] })
	await expect.poll(() => shown(worker)).toEqual(['Mira Quillon, 2 new messages: Two', 'Tomas commented on: Why?'])
	await push({ ...message, tag: 'c2', title: 'Ines', body: 'Three', open: ['c2'], read: '/notifications/7' })
	await expect.poll(() => shown(worker)).toEqual(['Ines: Three'])

	expect(await clicked(worker)).toBe(`${process.env.SITE_URL}/notifications/7`)
	await expect.poll(() => shown(worker)).toEqual([])

	// While a page of the site is visible, read notifications close and no new ones appear beside it.
	await push(message)
	await expect.poll(() => shown(worker)).toEqual(['Mira Quillon: One'])
	await page.goto('/login')
	await expect.poll(() => lookedAt(worker)).toBe(1)
	await push({ ...message, tag: 'c2', title: 'Ines', body: 'Four', open: ['c2'] })
	await expect.poll(() => shown(worker)).toEqual([])
	await browser.close()
})

/**
 * Delivers a push to the site's worker, as the browser does, and waits until the worker has handled it: requesting notifications while one
 * is being shown makes Chromium lose that one.
 */
async function pusher(session: CDPSession, worker: Worker): Promise<(push: object) => Promise<void>> {
	const registered = new Promise<string>((resolve) => {
		session.on('ServiceWorker.workerRegistrationUpdated', ({ registrations }) => {
			const ours = registrations.find(({ scopeURL }) => scopeURL === `${process.env.SITE_URL}/`)
			if (ours) resolve(ours.registrationId)
		})
	})
	await session.send('ServiceWorker.enable')
	const registrationId = await registered
	await worker.evaluate(() => {
		const scope = self as unknown as { ExtendableEvent: { prototype: { waitUntil: (work: Promise<unknown>) => void } } }
		const { waitUntil } = scope.ExtendableEvent.prototype
		scope.ExtendableEvent.prototype.waitUntil = function (work) {
			waitUntil.call(this, work)
			void work.finally(() => Object.assign(self, { dealtWith: dealtWith() + 1 }))
		}
		const dealtWith = () => (self as unknown as { dealtWith?: number }).dealtWith ?? 0
	})
	const countDealtWith = () => worker.evaluate(() => (self as unknown as { dealtWith?: number }).dealtWith ?? 0)
	return async (push) => {
		const before = await countDealtWith()
		const data = JSON.stringify(push)
		await session.send('ServiceWorker.deliverPushMessage', { origin: process.env.SITE_URL ?? '', registrationId, data })
		await expect.poll(countDealtWith).toBeGreaterThan(before)
	}
}

async function serviceWorker(context: BrowserContext): Promise<Worker> {
	return context.serviceWorkers()[0] ?? (await context.waitForEvent('serviceworker'))
}

/** The number of visible pages of the site, as the worker knows it. */
function lookedAt(worker: Worker): Promise<number> {
	return worker.evaluate(async () => {
		const { clients } = self as unknown as {
			clients: { matchAll: (what: object) => Promise<{ visibilityState: string }[]> }
		}
		const pages = await clients.matchAll({ type: 'window', includeUncontrolled: true })
		return pages.filter(({ visibilityState }) => visibilityState === 'visible').length
	})
}

/** The notifications shown, in alphabetical order. */
function shown(worker: Worker): Promise<string[]> {
	return worker.evaluate(async () => {
		const { registration } = self as unknown as { registration: ServiceWorkerRegistration }
		const notifications = await registration.getNotifications()
		return notifications.map(({ title, body }) => `${title}: ${body}`).sort()
	})
}

/** Clicks the notification shown. A browser opens a tab only on a real click. @returns the address the tab would open */
function clicked(worker: Worker): Promise<string> {
	return worker.evaluate(async () => {
		const scope = self as unknown as {
			registration: ServiceWorkerRegistration
			clients: { openWindow: (url: string) => Promise<null> }
			NotificationEvent: new (type: string, init: { notification?: Notification }) => Event
			dispatchEvent: (event: Event) => boolean
		}
		const [notification] = await scope.registration.getNotifications()
		return new Promise<string>((resolve) => {
			scope.clients.openWindow = async (url) => {
				resolve(url)
				return null
			}
			scope.dispatchEvent(new scope.NotificationEvent('notificationclick', { notification }))
		})
	})
}
