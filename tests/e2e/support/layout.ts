import type { Page } from '@playwright/test'

/* Finds layout problems in the page itself. */

/** The properties in the rules of the stylesheets that depend on the theme. */
export async function propertiesOfThemes(page: Page): Promise<string[]> {
	const names = await page.evaluate(() => {
		const found: string[] = []
		const visit = (rules: CSSRuleList, isThemed = false) => {
			for (const rule of rules) {
				const condition = 'conditionText' in rule ? String(rule.conditionText) : ''
				const selector = rule instanceof CSSStyleRule ? rule.selectorText : ''
				const here = isThemed || /data-theme/.test(selector) || /prefers-color-scheme/.test(condition)
				if (here && rule instanceof CSSStyleRule) found.push(...rule.style)
				if ('cssRules' in rule) visit(rule.cssRules as CSSRuleList, here)
			}
		}
		for (const sheet of document.styleSheets) visit(sheet.cssRules)
		return found
	})
	return [...new Set(names)].sort()
}

/**
 * The layout, and its problems two frames later. The frames are clipped to nothing, as painting them would take a tenth of the time.
 * @param changesTheme whether the problems are those in the other theme, in which the page stays
 */
export function examineLayout(
	page: Page,
	scope = 'body',
	changesTheme = false,
): Promise<{ sums: number[]; wrong: string[] }> {
	const work = async (
		misplaced: typeof findMisplaced,
		covered: typeof findCovered,
		sum: typeof layoutSum,
		scope: string,
		changesTheme: boolean,
	) => {
		await document.fonts.ready
		const early = sum()
		const root = document.documentElement
		root.style.clipPath = 'inset(0 0 100% 0)'
		await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
		root.style.clipPath = ''
		if (changesTheme) root.setAttribute('data-theme', root.dataset.theme === 'dark' ? 'light' : 'dark')
		const seen = { sums: [early, sum()], wrong: [...misplaced(), ...covered(scope)] }
		root.style.clipPath = 'inset(0 0 100% 0)'
		return seen
	}
	const functions = [findMisplaced, findCovered, layoutSum].join(', ')
	return page.evaluate(`(${work})(${functions}, ${JSON.stringify(scope)}, ${changesTheme})`)
}

/**
 * The elements whose focus ring is cut off by a parent that scrolls or clips, and the number of rings seen, once the page is drawn at its
 * size. It focuses each element, as by keyboard. Afterwards the page is at its top again, and without its rules for the focus in `main`.
 */
export async function findCutRings(page: Page): Promise<{ seen: number; cut: string[] }> {
	await page.keyboard.press('Tab')
	return page.evaluate(cutRings)
}

/* Each of the following functions runs alone in the browser: it cannot use anything else from this file. */

/** Elements beyond the edge of the window, or cut off without an ellipsis, a clamp or a way to scroll. */
function findMisplaced(): string[] {
	const { clientWidth, scrollWidth } = document.documentElement
	const named = (element: Element) =>
		`<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}">`
	const bad: string[] = []
	if (scrollWidth > clientWidth) {
		/** The elements that widen the page: those no ancestor clips, or their text. */
		const isClipped = (element: Element) => {
			for (let each: Element | null = element; each && each !== document.body; each = each.parentElement)
				if (getComputedStyle(each).overflowX !== 'visible') return true
			return false
		}
		const wide = [...document.querySelectorAll('body *')].filter((element) => {
			const words = document.createRange()
			words.selectNodeContents(element)
			const right = Math.max(element.getBoundingClientRect().right, words.getBoundingClientRect().right)
			return right > clientWidth + 1 && !isClipped(element)
		})
		const innermost = wide.filter((element) => !wide.some((other) => other !== element && element.contains(other)))
		const words = (element: Element) => `${named(element)} “${(element.textContent ?? '').trim().slice(0, 40)}”`
		bad.push(`the page is ${scrollWidth} px wide: ${innermost.slice(0, 3).map(words).join(' ')}`)
	}
	for (const element of document.querySelectorAll<HTMLElement>('body *')) {
		if (element.scrollWidth <= element.clientWidth + 1 || element.clientWidth <= 1) continue
		const style = getComputedStyle(element)
		if (style.overflowX !== 'hidden' && style.overflowX !== 'clip') continue
		const isMarked = style.textOverflow === 'ellipsis' || style.getPropertyValue('-webkit-line-clamp') !== 'none'
		if (!isMarked && element.innerText?.trim()) bad.push(`cut: ${named(element)}`)
	}
	return bad
}

/**
 * The controls covered by another element, at their centre or a corner, once scrolled to the middle of the window.
 * @param scope a selector: only elements inside it are checked, because a menu or dialog covers the rest on purpose
 */
function findCovered(scope: string): string[] {
	const controls = 'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=option], [role=tab]'
	const named = (element: Element | null) =>
		element
			? `<${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}"> “${(element.getAttribute('aria-label') ?? element.textContent ?? '').trim().slice(0, 40)}”`
			: 'nothing'
	/** The part of a control inside its scrolling and clipping ancestors and the window. */
	const shownPart = (element: Element) => {
		// For a link that runs over several lines, the first line.
		const first = element.getClientRects()[0]
		if (!first) return null
		let { left, top, right, bottom } = first
		for (let parent = element.parentElement; parent && parent !== document.body; parent = parent.parentElement) {
			const { overflowX, position } = getComputedStyle(parent)
			const box = parent.getBoundingClientRect()
			if (overflowX !== 'visible') {
				left = Math.max(left, box.left)
				top = Math.max(top, box.top)
				right = Math.min(right, box.right)
				bottom = Math.min(bottom, box.bottom)
			}
			if (position === 'fixed') break
		}
		left = Math.max(left, 0)
		top = Math.max(top, 0)
		right = Math.min(right, innerWidth)
		bottom = Math.min(bottom, innerHeight)
		// Smaller ones are only for screen readers.
		return right - left >= 4 && bottom - top >= 4 ? { left, top, right, bottom } : null
	}
	const isReached = (control: Element, hit: Element | null) => {
		if (!hit) return false
		if (control.contains(hit)) return true
		const label = hit.closest('label')
		return label !== null && (label.control === control || label.contains(control))
	}
	const bad: string[] = []
	for (const root of document.querySelectorAll(scope))
		for (const control of root.querySelectorAll<HTMLElement>(controls)) {
			if (!control.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue
			if (control.closest('[inert]') || getComputedStyle(control).pointerEvents === 'none') continue
			const place = control.getBoundingClientRect()
			if (place.top < 140 || place.bottom > innerHeight - 200)
				control.scrollIntoView({ block: 'center', inline: 'nearest', behavior: 'instant' })
			const part = shownPart(control)
			if (!part) continue
			const { left, top, right, bottom } = part
			// Corners are round, so test a little inside them.
			const [dx, dy] = [Math.min(4, (right - left) / 4), Math.min(4, (bottom - top) / 4)]
			const points: [number, number][] = [
				[(left + right) / 2, (top + bottom) / 2],
				[left + dx, top + dy],
				[right - dx, top + dy],
				[left + dx, bottom - dy],
				[right - dx, bottom - dy],
			]
			const hits = points.map(([x, y]) => document.elementFromPoint(x, y))
			const missed = hits.findIndex((hit) => !isReached(control, hit))
			if (missed >= 0) bad.push(`covered: ${named(control)} by ${named(hits[missed] ?? null)}`)
		}
	window.scrollTo(0, 0)
	return bad
}

async function cutRings(): Promise<{ seen: number; cut: string[] }> {
	// Rules of the whole page that look for the focus in it make the browser compute all styles again for each element that is focused.
	// They only say how far the page scrolls.
	const dropRules = (owner: CSSStyleSheet | CSSGroupingRule) => {
		for (let index = owner.cssRules.length - 1; index >= 0; index -= 1) {
			const rule = owner.cssRules[index]
			if (rule instanceof CSSStyleRule && /:has\(main :focus/.test(rule.selectorText)) owner.deleteRule(index)
			else if (rule instanceof CSSGroupingRule) dropRules(rule)
		}
	}
	for (const sheet of document.styleSheets) dropRules(sheet)
	await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
	let seen = 0
	const cut: string[] = []
	for (const element of document.querySelectorAll<HTMLElement>('a[href], button, summary, [tabindex="0"]')) {
		element.focus()
		const { outlineStyle, outlineWidth, outlineOffset } = getComputedStyle(element)
		if (document.activeElement !== element || outlineStyle === 'none') continue
		seen += 1
		const room = Number.parseFloat(outlineWidth) + Number.parseFloat(outlineOffset)
		const { left, top, right, bottom } = element.getBoundingClientRect()
		for (let parent = element.parentElement; parent && parent !== document.body; parent = parent.parentElement) {
			if (getComputedStyle(parent).overflow === 'visible') continue
			const box = parent.getBoundingClientRect()
			const { scrollLeft, scrollWidth, clientWidth, scrollHeight, clientHeight } = parent
			// Where the parent can scroll on, the browser decides what is in view.
			const gaps = [
				scrollLeft > 0 ? room : left - box.left,
				scrollLeft + clientWidth < scrollWidth ? room : box.right - right,
				...(scrollHeight > clientHeight + 1 ? [] : [top - box.top, box.bottom - bottom]),
			]
			if (Math.min(...gaps) < room - 0.6) cut.push(`${element.className} “${element.textContent?.trim().slice(0, 30)}”`)
		}
	}
	if (document.activeElement instanceof HTMLElement) document.activeElement.blur()
	window.scrollTo(0, 0)
	return { seen, cut }
}

/** The position of every element as one number: the same in both themes unless a theme moves something. */
function layoutSum(): number {
	let sum = 0
	for (const element of document.querySelectorAll('body *')) {
		const { left, top, width, height } = element.getBoundingClientRect()
		for (const part of [left, top, width, height]) sum = (sum * 31 + Math.round(part * 4)) % 1_000_000_007
	}
	return sum
}

/** The labels of fields that neither are required nor say that they are optional. */
export function findUnmarked(): string[] {
	const texts = [...document.querySelectorAll('main form .label')].map((label) => {
		const box = label
			.closest('.field')
			?.querySelector<HTMLInputElement>('input:not([type=hidden]):not([type=file]), textarea, select')
		return box?.required || box?.disabled ? '' : (label.textContent ?? '')
	})
	return texts.filter((text) => text !== '' && !text.endsWith(' optional'))
}
