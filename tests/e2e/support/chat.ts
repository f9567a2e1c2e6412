import type { Browser, BrowserContext, BrowserContextOptions, Page, Request as PageRequest } from '@playwright/test'
import { type Account, enrol, expect, hydrated } from './journey.ts'

/** A member in a separate browser. */
export interface Member {
	page: Page
	name: string
	username: string
}

/** A member who only sends requests, without a page. */
export type Sender = Omit<Member, 'page'> & { page: Account }

/** Opens another browser. */
export function anotherBrowser(browser: Browser, options: BrowserContextOptions = {}): Promise<BrowserContext> {
	return browser.newContext({ baseURL: process.env.SITE_URL ?? '', ...options })
}

/** Opens a page in another browser, without scripts, with the session of this page's member. */
export async function withoutScripts(page: Page, options: BrowserContextOptions = {}): Promise<Page> {
	const browser = page.context().browser()
	if (!browser) throw new Error('The page has no browser.')
	const storageState = await page.context().storageState()
	return (await anotherBrowser(browser, { ...options, javaScriptEnabled: false, storageState })).newPage()
}

/** Another browser without a page, from which only requests are sent. */
export async function withoutPage(browser: Browser): Promise<Account> {
	const context = await anotherBrowser(browser)
	return { request: context.request, context: () => context }
}

/** A newcomer in another browser, which closes at the end of the journey. */
export async function anotherMember(browser: Browser, name: string): Promise<Member> {
	const page = await (await anotherBrowser(browser)).newPage()
	return { page, name, username: await enrol(page, name) }
}

/** {@link anotherMember}, who only sends requests. */
export async function anotherSender(browser: Browser, name: string): Promise<Sender> {
	const page = await withoutPage(browser)
	return { page, name, username: await enrol(page, name) }
}

/** Two newcomers, each in a browser. The first uses the test's own. */
export async function twoMembers(page: Page, browser: Browser, names: [string, string]): Promise<[Member, Member]> {
	const [name, other] = names
	return [{ page, name, username: await enrol(page, name) }, await anotherMember(browser, other)]
}

/** Two newcomers who have exchanged messages once, so neither is a stranger. */
export async function twoFriends(page: Page, browser: Browser, names: [string, string]): Promise<[Member, Member]> {
	const [one, other] = await twoMembers(page, browser, names)
	await befriend(one, other)
	return [one, other]
}

/** {@link twoFriends}, of whom the second only sends requests. */
export async function withFriend(page: Page, browser: Browser, names: [string, string]): Promise<[Member, Sender]> {
	const [name, friend] = names
	const one = { page, name, username: await enrol(page, name) }
	const other = await anotherSender(browser, friend)
	await befriend(one, other)
	return [one, other]
}

async function befriend(one: Sender, other: Sender): Promise<void> {
	await post(one, other, 'Hello')
	await post(other, one, 'Hello yourself')
}

/** Sends a message with the page's form, without scripts. */
export async function post(from: Sender, to: Sender, body: string): Promise<void> {
	const answer = await from.page.request.post(`/messages/${to.username}`, {
		form: { intent: 'send', clientId: crypto.randomUUID(), body },
		headers: { Origin: process.env.SITE_URL ?? '' },
		maxRedirects: 0,
	})
	if (answer.status() !== 303) throw new Error(`Sending answered ${answer.status()}`)
}

/** Opens the page of a conversation and waits until its scripts are ready. */
export async function openChatPage(page: Page, peer: Sender): Promise<void> {
	await page.goto(`/messages/${peer.username}`)
	await page.getByPlaceholder('type message here...').waitFor()
	await hydrated(page)
}

export const composer = (page: Page) => page.getByPlaceholder('type message here...')

/** Types and sends a message as a person does. */
export async function say(page: Page, text: string): Promise<void> {
	await composer(page).fill(text)
	await composer(page).press('Enter')
}

/** The texts of the open conversation, in order. */
export async function texts(page: Page): Promise<string[]> {
	const all = await page.locator('.bubble').allInnerTexts()
	return all.map((text) => text.trim())
}

/**
 * Holds back the responses of the page's loaders, as a slow network would. `first` resolves once the server has produced the first of them.
 * `release` lets them through, and returns when the page has applied each or stopped waiting for it.
 */
export async function holdAnswers(page: Page): Promise<{ first: Promise<void>; release: () => Promise<void> }> {
	const [first, free] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
	const held = new Set<PageRequest>()
	page.on('requestfinished', (request) => held.delete(request))
	page.on('requestfailed', (request) => held.delete(request))
	const loaders = /\.data(\?|$)/
	await page.route(loaders, async (route) => {
		if (route.request().method() !== 'GET') return route.continue()
		held.add(route.request())
		const response = await route.fetch()
		first.resolve()
		await free.promise
		await route.fulfill({ response })
	})
	const release = async () => {
		free.resolve()
		await expect.poll(() => held.size).toBe(0)
		await page.unroute(loaders)
		// Applied data are rendered in the next frame.
		await page.evaluate(() => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))))
	}
	return { first: first.promise, release }
}

/**
 * Gives control over the socket and the requests of the page's chat, while pages still load. Call it before the page is opened. `cut`
 * waits until the page says that it is offline.
 */
export async function cutter(page: Page): Promise<{ cut: () => Promise<void>; mend: () => Promise<void> }> {
	await page.addInitScript(() => {
		const Real = window.WebSocket
		const open = new Set<WebSocket>()
		// How a browser without a network behaves.
		const dead = () => {
			const socket: Partial<WebSocket> = { readyState: 3, close: () => {}, send: () => {} }
			setTimeout(() => {
				socket.onerror?.call(window as never, new Event('error'))
				socket.onclose?.call(window as never, new CloseEvent('close', { code: 1006 }))
			})
			return socket
		}
		window.WebSocket = new Proxy(Real, {
			construct: (_, [url, protocols]) => {
				if (sessionStorage.getItem('line') === 'cut') return dead()
				const socket = new Real(url, protocols)
				open.add(socket)
				return socket
			},
		})
		const ask = window.fetch
		window.fetch = (what, how) => {
			const { pathname } = new URL(what instanceof Request ? what.url : what, location.href)
			const lost = sessionStorage.getItem('line') === 'cut' && pathname.startsWith('/messages')
			return lost ? Promise.reject(new TypeError('Failed to fetch')) : ask(what, how)
		}
		window.addEventListener('line', () => {
			for (const socket of open) socket.close()
			open.clear()
		})
	})
	const turn = (line: string) =>
		page.evaluate((word) => {
			sessionStorage.setItem('line', word)
			window.dispatchEvent(new Event('line'))
		}, line)
	const cut = async () => {
		await turn('cut')
		await expect(page.getByText('You are offline.')).toBeVisible()
	}
	return { cut, mend: () => turn('whole') }
}
