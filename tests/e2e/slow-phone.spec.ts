import type { Browser, Locator, Page } from '@playwright/test'
import { picture } from '../factories/pictures.ts'
import { type SlowNetwork, startSlowNetwork } from '../support/slow-network.ts'
import { anotherBrowser } from './support/chat.ts'
import { expect, htmlOf, test as journey, logIn, submit } from './support/journey.ts'
import { expectNotice } from './support/notices.ts'

/*
 * A newcomer with a phone and a poor signal, from the first page to the accepted answer. Every button is pressed only once, and the page
 * has to recover what the network loses.
 */

/** The browser logs the requests cut on purpose. */
const test = journey.extend<{ quiet: undefined }>({ quiet: async ({}, use) => use(undefined) })

test.use({ actionTimeout: 30_000 })

/** With this seed, a connection is refused in the middle of the journey. */
const seed = Number(process.env.SLOW_NETWORK_SEED ?? 134)
const title = 'Why does my lantern go out on the bridge?'
const password = 'a lantern at the ford'

/** Faults no page may have, recorded in the page during the journey. */
type Note = (note: string) => void

/**
 * Checks the page ten times a second. Ticks are counted, not time, because on a busy machine the page renders as late as the timer fires.
 * It cannot use anything else from this file.
 */
function watchPage(): void {
	const MAX_SILENT_TICKS = 5
	let [silent, sincePress] = [0, Number.POSITIVE_INFINITY]
	addEventListener(
		'click',
		() => {
			sincePress = 0
		},
		{ capture: true },
	)
	const isAnswered = () => {
		sincePress = Number.POSITIVE_INFINITY
	}
	addEventListener('toggle', isAnswered, { capture: true })
	new MutationObserver(isAnswered).observe(document, {
		subtree: true,
		childList: true,
		attributes: true,
		characterData: true,
	})
	const isShown = (element: Element) => element.checkVisibility({ visibilityProperty: true })
	const shows = (selector: string) => [...document.querySelectorAll(selector)].some(isShown)
	const seen = new Set<string>()
	const note = (text: string) => {
		if (seen.has(text)) return
		seen.add(text)
		void (window as unknown as { note: Note }).note(`${location.pathname}: ${text}`)
	}
	setInterval(() => {
		if (location.protocol === 'about:' || document.readyState === 'loading') return
		for (const part of ['header', 'main', 'footer']) if (!shows(`body > ${part}`)) note(`no ${part}`)
		if (document.body.innerText.includes('Application Error')) note('the error page')
		for (const toast of document.querySelectorAll<HTMLElement>('.toast[data-type=error]')) note(toast.innerText)
		// Until the scripts run, the browser handles a click and shows its own progress.
		const { navigation } = window.__reactRouterDataRouter?.state ?? {}
		if (!navigation) return
		sincePress += 1
		if (sincePress === MAX_SILENT_TICKS) note(`nothing answers a press on “${document.activeElement?.textContent}”`)
		silent = navigation.state !== 'idle' && !shows('[aria-busy=true], [role=progressbar]') ? silent + 1 : 0
		if (silent === MAX_SILENT_TICKS) note(`nothing tells that ${navigation.location?.pathname} is on its way`)
	}, 100)
}

/** A phone on that network. @returns its page, and the faults recorded */
async function openPhone(browser: Browser, network: SlowNetwork): Promise<{ page: Page; notes: string[] }> {
	const context = await anotherBrowser(browser, {
		viewport: { width: 390, height: 844 },
		deviceScaleFactor: 2,
		hasTouch: true,
		isMobile: true,
		userAgent:
			'Mozilla/5.0 (Linux; Android 15; Pixel 8) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Mobile Safari/537.36',
		serviceWorkers: 'allow',
		proxy: { server: network.server },
	})
	const notes: string[] = []
	await context.exposeFunction('note', (text: string) => notes.push(text))
	await context.addInitScript(watchPage)
	const page = await context.newPage()
	page.on('pageerror', (error) => notes.push(`${error}`))
	return { page, notes }
}

test('a newcomer with a phone and a poor signal registers, asks, and accepts the answer', async ({
	page: fast,
	browser,
}) => {
	const network = await startSlowNetwork(seed)
	const { page, notes } = await openPhone(browser, network)
	const button = (name: string, place: Page | Locator = page) => place.getByRole('button', { name, exact: true })
	const menu = async (name: string) => {
		await button('Open menu').tap()
		await page.getByRole('dialog', { name: 'Menu' }).getByRole('link', { name, exact: true }).tap()
	}
	const step = (name: string, work: () => Promise<void>) =>
		test.step(name, async () => {
			await work()
			expect(notes).toEqual([])
		})
	try {
		await step('registers and logs in', async () => {
			await page.goto('/')
			await page.getByRole('banner').getByRole('link', { name: 'Register' }).tap()
			await page.getByLabel('Full Name').fill('Signe Signal')
			await page.getByLabel('Email').fill('signe.signal@eastmere.example')
			await page.getByLabel('Password', { exact: true }).fill(password)
			await page.getByLabel('Confirm Password').fill(password)
			await button('Register').tap()
			await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
			await expectNotice(page, 'User registered successfully!')
			await expect(page.getByLabel('Email')).toHaveValue('signe.signal@eastmere.example')
			await page.getByLabel('Password', { exact: true }).fill(password)
			await button('Login').tap()
			await expect(page).toHaveURL('/find-dev')
		})

		await step('follows the first steps: a picture, three skills, studies', async () => {
			const steps = page.getByRole('region', { name: 'Help others find you' })
			await steps.getByRole('link', { name: 'Add a picture' }).tap()
			const field = page.getByRole('group', { name: 'Profile picture' })
			await field.locator('input[type=file]').setInputFiles({
				name: 'me.jpg',
				mimeType: 'image/jpeg',
				buffer: await picture('jpeg', 900, 1_200),
			})
			await button('Save picture').tap()
			await expectNotice(page, 'Profile picture uploaded successfully!')
			await page.getByRole('combobox', { name: 'Skills' }).fill('Lanterns, Bridges, Rain')
			await button('Save changes').tap()
			await expectNotice(page, 'Profile updated successfully!')
			await page.getByRole('navigation', { name: 'Edit profile' }).getByRole('link', { name: 'Academics' }).tap()
			await page.getByRole('combobox', { name: 'University' }).fill('Eastmere')
			await page.getByLabel('Branch').fill('Optics')
			await button('Save changes').tap()
			await expectNotice(page, 'Academics data updated successfully!')
		})

		await step('finds the forum and asks', async () => {
			await menu('Forum')
			await page.getByRole('link', { name: 'New', exact: true }).tap()
			// In a dialog; or on its page, where the refused connection was that of the dialog's script.
			const form = page.locator('form').filter({ has: page.getByLabel('Title') })
			await form.getByLabel('Title').fill(title)
			await form.getByRole('combobox', { name: 'Tags' }).fill('lanterns, wind')
			await form.getByLabel('Description').fill('It burns at home, and goes out **in the middle** of the bridge.')
			const cut = network.cutOne(/^GET \/forum\/\S+\.data/)
			await button('Post question', form).tap()
			await cut
			await expect(page.getByRole('heading', { level: 1, name: title })).toBeVisible()
		})

		const path = new URL(page.url()).pathname
		await step('sees an answer arrive although the socket broke', async () => {
			await network.cutOne(/^GET \/realtime\//)
			await logIn(fast)
			await submit(fast, path, { intent: 'comment', body: 'The wind comes from below: close the **bottom** vent.' })
			await button('1 new comment').tap()
			await expect(page.getByText('The wind comes from below')).toBeVisible()
		})

		await step('is notified of another one elsewhere, reads it and accepts it', async () => {
			await menu('FindDev')
			await expect(page.getByRole('article').first()).toContainText('Optics')
			await expect(page.getByRole('region', { name: 'Help others find you' })).toBeHidden()
			await submit(fast, path, { intent: 'comment', body: 'Or carry it behind your back.' })
			await button('Messages and notifications, 1 unread').tap()
			await page
				.getByRole('dialog')
				.getByRole('link', { name: /commented on/ })
				.first()
				.tap()
			const second = page.locator('li.comment').filter({ hasText: 'behind your back' })
			await button('This solved it', second).tap()
			await expect(button('No longer the answer')).toBeVisible()
		})

		await step('everything exists once', async () => {
			const question = await htmlOf(fast, path)
			expect(question).toContain('Comments (2)')
			expect(question.match(/>Accepted answer</g)).toHaveLength(1)
			expect((await htmlOf(fast, `/forum?q=${encodeURIComponent(title)}`)).match(/<article/g)).toHaveLength(1)
			expect(await htmlOf(fast, '/find-dev/signe.signal')).toMatch(/>Lanterns<[\s\S]*>Bridges<[\s\S]*>Rain</)
		})
	} finally {
		console.log(`Seed ${network.seed}:`, network.counts)
		await page.context().close()
		await network.stop()
	}
})
