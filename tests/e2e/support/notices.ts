import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test'

declare global {
	interface Window {
		/** The notices of this document that no journey has checked yet, in order. */
		notices?: Element[]
	}
}

const noted = new WeakSet<object>()

/**
 * Makes every page of a context, and of every context this browser opens later, record its notices as they appear. A success notice lasts
 * two seconds and may be gone on a busy machine before a journey looks.
 */
export async function noteNotices(context: BrowserContext, browser: Browser): Promise<void> {
	await context.addInitScript(noteInPage)
	const methods: Record<string, (...given: unknown[]) => Promise<BrowserContext>> = Object.getPrototypeOf(browser)
	if (noted.has(methods)) return
	noted.add(methods)
	const open = methods.newContext
	if (!open) throw new Error('Playwright’s browsers have no newContext.')
	methods.newContext = async function (this: Browser, ...given) {
		const opened = await open.apply(this, given)
		await opened.addInitScript(noteInPage)
		return opened
	}
}

function noteInPage(): void {
	const notices: Element[] = []
	window.notices = notices
	// The browser keeps this list. Searching whatever is added takes 2 ms of the processor for each page that loads.
	const shown = document.getElementsByClassName('toast')
	const known = new WeakSet<Element>()
	new MutationObserver(() => {
		for (const notice of shown) {
			// Elements, not their texts, which the parser may not have read yet.
			if (!known.has(notice)) notices.push(notice)
			known.add(notice)
		}
	}).observe(document, { childList: true, subtree: true })
}

/**
 * Waits until this document has shown a notice, even if it has gone since. Each notice counts once, and earlier ones no longer count.
 * Without scripts a notice stays, so look for it on the page.
 */
export async function expectNotice(page: Page, text: string | RegExp): Promise<void> {
	const standing = page.locator('.toast').filter({ hasText: text }).first()
	const said = async () =>
		(await page.locator('html[data-hydrated]').count()) > 0
			? page.evaluate(takeNotice, { text: String(text), isPattern: text instanceof RegExp })
			: standing.isVisible()
	// Evaluation fails while the page navigates away.
	await expect.poll(() => said().catch(() => false), { message: `the notice “${text}”` }).toBe(true)
}

function takeNotice({ text, isPattern }: { text: string; isPattern: boolean }): boolean {
	const pattern = isPattern ? new RegExp(text.slice(1, text.lastIndexOf('/'))) : null
	const says = ({ textContent }: Element) => pattern?.test(textContent ?? '') ?? textContent?.includes(text) ?? false
	const index = window.notices?.findIndex(says) ?? -1
	window.notices?.splice(0, index + 1)
	return index >= 0
}
