import { type Browser, type BrowserContext, expect, type Page } from '@playwright/test'

declare global {
	interface Window {
		/** The notices of this document so far that no journey has asked for, in their order. */
		notices?: Element[]
	}
}

const noted = new WeakSet<object>()

/**
 * Has every page of a context, and of each that this browser opens from now on, note its notices as they appear: one of success
 * stands for two seconds, which may be over on a busy machine before a journey looks.
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
	new MutationObserver((changes) => {
		for (const node of changes.flatMap(({ addedNodes }) => [...addedNodes])) {
			if (!(node instanceof Element)) continue
			// Elements and not their texts, which the parser may not have read by now.
			if (node.matches('.toast')) notices.push(node)
			notices.push(...node.querySelectorAll('.toast'))
		}
	}).observe(document, { childList: true, subtree: true })
}

/**
 * Waits until this document has said something in a notice, whether that still stands or is over. Each notice counts once, and those
 * before it count no more. Without scripts a notice stays, and is looked for on the page.
 */
export async function expectNotice(page: Page, text: string | RegExp): Promise<void> {
	const standing = page.locator('.toast').filter({ hasText: text }).first()
	const said = async () =>
		(await page.locator('html[data-hydrated]').count()) > 0
			? page.evaluate(takeNotice, { text: String(text), isPattern: text instanceof RegExp })
			: standing.isVisible()
	// A page that is just being left tells nothing.
	await expect.poll(() => said().catch(() => false), { message: `the notice “${text}”` }).toBe(true)
}

function takeNotice({ text, isPattern }: { text: string; isPattern: boolean }): boolean {
	const pattern = isPattern ? new RegExp(text.slice(1, text.lastIndexOf('/'))) : null
	const says = ({ textContent }: Element) => pattern?.test(textContent ?? '') ?? textContent?.includes(text) ?? false
	const index = window.notices?.findIndex(says) ?? -1
	window.notices?.splice(0, index + 1)
	return index >= 0
}
