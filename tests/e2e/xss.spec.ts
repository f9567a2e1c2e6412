import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test'
import pg from 'pg'
import { questionUrl } from '../../app/features/search/search.view.ts'
import { MAX_TAG, normalizeTag } from '../../app/features/tags/tags.limits.ts'
import { makeDataDir, type SiteProcess, siteDatabase, startSite } from '../support/site-process.ts'

/*
 * Every payload of tests/data/xss.txt in every text field of the forum, in a real browser: first as the forum stores it, then with the
 * stored HTML replaced by the payload, as if nothing had sanitized it. `alert` must never be called. In the second case, only the
 * Content-Security-Policy prevents it.
 *
 * Payloads share pages, because pages take most of the time. A payload that runs is detected beside any other. Only an earlier one that
 * swallows its markup could hide it. Such payloads come last or get their own page, and each page of stored texts shows that all of them
 * are in place. Unsanitized payloads that reach beyond their element get a document of their own: a frame without an address inherits the
 * policy of its page.
 */

interface PayloadPage {
	url: string
	id: string
	/** One payload, or several that are all in the page's texts. */
	shown: string[]
	/** Evidence that each text is in place and has not swallowed what follows it. */
	parts?: Partial<Parts>
	/** Number of boxes with one payload each, on a page with several unsanitized ones. */
	boxes?: number
	/** Number of frames, each with a document that contains its payload. */
	frames?: number
	/** The HTML in its texts when unsanitized. */
	html?: string
}

interface Parts {
	title: string
	/** Items of the list that makes up the text. */
	items: number
	comments: number
	/** Whether the end of the page is in its place. */
	hasEnd: boolean
}

/** Payloads on one page whose stored HTML is replaced. */
const BATCH_SIZE = 45

/** Total characters of payloads that share a search or a title in the address, so that the site truncates none of them. */
const MAX_SHARED_LENGTH = 185

/** Total characters of payloads that share the title of a question, or another address. */
const MAX_LENGTH = 1_000

/** Tags of a question, one of which is not a payload. */
const MAX_TAGS = 10

/** Markup that reaches beyond its own element, at least once the site has replaced external pictures with links. */
const REACHES_OUT = /<(base|meta|no(embed|frames|script))/i
/** Of those, payloads that affect their page: its address, or names used by scripts. */
const CONCERNS_PAGE = /<(base|meta)|\b(id|name)=/i
/** A page focuses only the first of these. */
const WANTS_FOCUS = /autofocus/i
/** Fonts and the lists of routes, which no payload needs. */
const UNNEEDED = ['*.woff2', '*/__manifest*', '*/assets/manifest-*']

// Smaller frames paint less. Some payloads wait for an animation or a transition.
test.use({
	reuseContext: false,
	viewport: { width: 480, height: 320 },
	contextOptions: { reducedMotion: 'no-preference' },
})

const payloads = readFileSync('tests/data/xss.txt', 'utf8')
	.split('\n')
	.filter((line) => line.startsWith('"'))
	.map((line) => JSON.parse(line) as string)

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-xss-'))
let site: SiteProcess
let pages: PayloadPage[]
/** The payloads that may share a page. */
let sharing: Set<string>

test.beforeAll(async ({ browser }) => {
	sharing = await findSharing(browser)
	const file = join(dataDir, 'payloads.jsonl')
	const groups = grouped(payloads, () => true, MAX_LENGTH, MAX_TAGS - 1)
	writeFileSync(file, groups.map((shown, id) => JSON.stringify(questionOf(shown, id))).join('\n'))
	await makeDataDir(dataDir, 'none')
	execFileSync(process.execPath, ['--import', './scripts/support/alias.mjs', 'scripts/import.ts', file], {
		stdio: ['ignore', 'ignore', 'inherit'],
		env: { PATH: process.env.PATH, DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
	})
	site = await startSite({ DATA_DIR: dataDir, SEED: 'none' })
	pages = await inDatabase(async (client) => {
		// An import invents names and shortens titles. Each text has its own author.
		for (const [id, shown] of groups.entries())
			await client.query('update questions set title = $1 where source_id = $2', [titleOf(shown), String(id)])
		await client.query('update users u set name = left(c.body, 100) from comments c where c.author_id = u.id')
		await client.query('update users u set name = left(q.title, 100) from questions q where q.author_id = u.id')
		const { rows } = await client.query(`select q.id, source_id, q.title, c.slug as category_slug, u.username
			from questions q join categories c on c.id = category_id join users u on u.id = author_id order by q.id`)
		return rows.map(({ id, source_id, title, ...place }) => ({
			url: site.url + questionUrl({ ...place, id, title }),
			id,
			shown: groups[Number(source_id)] ?? [],
			parts: { title, ...partsOf(groups[Number(source_id)] ?? []) },
		}))
	})
})

test.afterAll(async () => {
	await site?.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

test('there are at least 300 payloads, and each has its page', () => {
	expect(new Set(payloads).size).toBe(payloads.length)
	expect(payloads.length).toBeGreaterThanOrEqual(300)
	expect(pages.flatMap(({ shown }) => shown).sort()).toEqual(payloads.toSorted())
})

test('an alert is detected, so the absence of one is meaningful', async ({ page }) => {
	const alerts = listen(page)
	await page.setContent('<img src=x onerror=alert(1)>')
	await expect.poll(() => alerts).toEqual(['alert'])
})

test('no payload runs from a title, text, tag, name, comment or reply', async ({ context }) => {
	expect(await visitAll(context, pages)).toEqual([])
})

test('no payload runs from the parts of an address that a page repeats', async ({ context }) => {
	const echoes = (text: string) => [
		`/forum?q=${text}`,
		`/forum/ask?title=${text}`,
		`/forum/tag/${text}`,
		`/login?redirectTo=${text}`,
	]
	// Each address repeats it differently, so each way gets a quarter of the payloads in turn: the short ones of the words for the first
	// two, which allow few characters, and those that are not words, as addresses, in equal parts.
	const byLength = payloads.toSorted((one, other) => one.length - other.length)
	const [words, rest] = [byLength.filter((each) => each.includes('<')), byLength.filter((each) => !each.includes('<'))]
	const addresses = [0, 1, 2, 3].flatMap((way) => {
		const half = words.filter((_, index) => index < words.length / 2 === way < 2)
		const own = [...half.filter((_, index) => index % 2 === way % 2), ...rest.filter((_, index) => index % 4 === way)]
		// A search and a title are words. An existing tag has a page, and an address is judged by its start.
		const isWord = (payload: string) =>
			way < 2 || (payload.includes('<') && (way === 3 || normalizeTag(payload).length > MAX_TAG))
		// Searches and titles have maximum lengths.
		return grouped(own, isWord, way < 2 ? MAX_SHARED_LENGTH : MAX_LENGTH).map((shown) => {
			const path = echoes(encodeURIComponent(shown.join(' ')))[way]
			return { url: `${site.url}${path}`, id: '', shown, parts: { hasEnd: true } }
		})
	})
	expect(addresses.flatMap(({ shown }) => shown).sort()).toEqual(payloads.toSorted())
	expect(await visitAll(context, addresses)).toEqual([])
})

test.describe('with the sanitizer switched off', () => {
	let rawPages: PayloadPage[]

	test.beforeAll(async () => {
		rawPages = batched()
		await inDatabase(async (client) => {
			for (const { id, html } of rawPages) {
				await client.query('update questions set description_html = $1 where id = $2', [html, id])
				// A comment and its reply. The others stay unchanged.
				const first = 'select id from comments where question_id = $2 order by path limit 2'
				await client.query(`update comments set body_html = $1 where id in (${first})`, [html, id])
			}
			await client.query(`select pg_notify('devquad_pages', 'the-test 0 page')`)
		})
	})

	test('each payload has its page', () => {
		expect(rawPages.flatMap(({ shown }) => shown).sort()).toEqual(payloads.toSorted())
	})

	test('the policy of a cached page stops every payload', async ({ context, request }) => {
		const ask = () => request.get(rawPages[0]?.url ?? '')
		// The cached page is dropped when its process is notified.
		await expect.poll(async () => (await ask()).text()).toContain('<div data-payload>')
		expect((await ask()).headers()['content-security-policy']).toContain('sha256-')
		expect(await visitAll(context, rawPages)).toEqual([])
	})

	test('the policy of a member’s page stops every payload', async ({ context, page }) => {
		const [email, password] = ['sela.venn@eastmere.example', 'a lantern at the ford']
		for (const [path, form] of [
			['/register', { name: 'Sela Venn', email, password, confirmPassword: password }],
			['/login', { email, password }],
		] as const)
			await page.request.post(site.url + path, { form, headers: { Origin: site.url }, maxRedirects: 0 })
		const answer = await page.goto(rawPages[0]?.url ?? '')
		expect(answer?.headers()['content-security-policy']).toContain('nonce-')
		expect(await visitAll(context, rawPages)).toEqual([])
	})
})

/** Each of these payloads in every part of an imported question. */
function questionOf(shown: string[], id: number) {
	return {
		id: String(id),
		title: titleOf(shown),
		// An item ends any Markdown that began in it.
		body: shown.map((payload) => `- ${payload.replaceAll('\n', '\n  ')}`).join('\n'),
		tags: ['payload', ...shown],
		created: '2026-01-01T00:00:00Z',
		answers: shown.map((payload, index) => ({
			body: payload,
			accepted: id % 2 === 0 && index === 0,
			comments: [{ body: payload }],
		})),
	}
}

const titleOf = (shown: string[]) => `Payload ${shown.join(' ')}`

function partsOf(shown: string[]) {
	// A payload may contain an item of its own, which ends the one around it.
	const items = shown.length + shown.filter((payload) => /^<li\b/.test(payload)).length
	return { items, comments: 2 * shown.length, hasEnd: true }
}

/**
 * Payloads in groups limited by characters and by number. One that may swallow what follows is the last of its group, and those that may
 * not share are alone.
 */
function grouped(
	all: string[],
	mayShare: (payload: string) => boolean,
	maxLength: number,
	maxCount = Number.POSITIVE_INFINITY,
): string[][] {
	const shared = all.filter(mayShare)
	const groups = shared.filter((payload) => !sharing.has(payload)).map((payload) => [payload])
	let next = 0
	for (const payload of shared.filter((each) => sharing.has(each))) {
		const hasRoom = (group: string[]) => group.length < maxCount && [payload, ...group].join(' ').length <= maxLength
		while (groups[next] && !hasRoom(groups[next] ?? [])) next += 1
		groups[next] = [payload, ...(groups[next] ?? [])]
	}
	return [...groups, ...all.filter((payload) => !mayShare(payload)).map((payload) => [payload])]
}

async function inDatabase<Result>(work: (client: pg.Client) => Promise<Result>): Promise<Result> {
	const client = new pg.Client(siteDatabase(dataDir))
	await client.connect()
	try {
		return await work(client)
	} finally {
		await client.end()
	}
}

/** Kinds of dialogs in the order of appearance, each dismissed at once. */
function listen(page: Page): string[] {
	const heard: string[] = []
	page.on('dialog', async (dialog) => {
		if (dialog.type() !== 'beforeunload') heard.push(dialog.type())
		await dialog.dismiss().catch(() => {})
	})
	return heard
}

/** The payloads that, according to a browser, end within the element around them and reach no other. */
async function findSharing(browser: Browser): Promise<Set<string>> {
	const page = await browser.newPage()
	const contained = await page.evaluate((all) => {
		const untouched = '<html><head></head><body><div></div><i></i></body></html>'
		return all.filter((payload) => {
			const document = new DOMParser().parseFromString(`<div>${payload}</div><i></i>`, 'text/html')
			document.querySelector('div')?.replaceChildren()
			return document.documentElement.outerHTML === untouched
		})
	}, payloads)
	await page.close()
	return new Set(contained.filter((payload) => !REACHES_OUT.test(payload)))
}

/** The pages for unsanitized payloads, with up to {@link BATCH_SIZE} that may share one page. */
function batched(): PayloadPage[] {
	const [focused, shared] = [[] as string[], [] as string[]]
	for (const payload of payloads) if (sharing.has(payload)) (WANTS_FOCUS.test(payload) ? focused : shared).push(payload)
	const batches: string[][] = []
	for (let start = 0; start < shared.length; start += BATCH_SIZE - 1)
		batches.push([...shared.slice(start, start + BATCH_SIZE - 1), ...focused.splice(0, 1)])
	const [alone, framed] = [[] as string[], [] as string[]]
	for (const payload of payloads)
		if (!sharing.has(payload)) (CONCERNS_PAGE.test(payload) ? alone : framed).push(payload)
	const boxed = [...batches, ...focused.map((one) => [one])]
	const frame = (payload: string) =>
		`<iframe srcdoc="${payload.replaceAll('&', '&amp;').replaceAll('"', '&quot;')}"></iframe>`
	// The text, a comment and a reply each show all of them, side by side.
	const all = [
		...boxed.map((shown) => ({
			shown,
			html: shown.map((payload) => `<div data-payload>${payload}</div>`).join(''),
			boxes: 3 * shown.length,
		})),
		{ shown: framed, html: framed.map(frame).join(''), frames: 3 * framed.length },
		...alone.map((payload) => ({ shown: [payload], html: payload })),
	]
	return all.map((each, index) => ({ ...each, url: pages[index]?.url ?? '', id: pages[index]?.id ?? '' }))
}

/** Opens every page and does to each element what a reader might. @returns the payloads that ran */
async function visitAll(context: BrowserContext, all: PayloadPage[]): Promise<string[]> {
	const queue = [...all]
	const ran: string[] = []
	const visit = async () => {
		const page = await context.newPage()
		const network = await context.newCDPSession(page)
		await network.send('Network.enable')
		await network.send('Network.setBlockedURLs', { urls: UNNEEDED })
		const heard = listen(page)
		for (let next = queue.pop(); next; next = queue.pop()) {
			await page.goto(next.url).catch(() => {})
			const boxes = page.locator('.prose > [data-payload]')
			const { parts, url, shown, boxes: count } = next
			// The previous page may just have navigated, and this one with it.
			const until = (check: () => Promise<unknown>) => expect(check).toPass({ timeout: 30_000 })
			if (parts) await until(async () => expect(await page.evaluate(findParts), url).toMatchObject(parts))
			if (count)
				await until(async () => {
					if ((await boxes.count()) === 0) await page.goto(url)
					await expect(boxes, shown.join('\n')).toHaveCount(count, { timeout: 5_000 })
				})
			if (next.frames) expect(await page.evaluate(countFrames)).toBe(next.frames)
			await page.evaluate(touchEverything).catch(() => {})
			if (heard.splice(0).length > 0) ran.push(`${next.shown.join('\n')} at ${next.url}`)
		}
	}
	// Close the pages with their context: Chromium may never close one that a payload has just sent to a blocked address.
	await Promise.all([visit(), visit(), visit()])
	return ran
}

/** Runs in the page. */
function findParts(): Parts {
	return {
		title: document.querySelector('h1')?.textContent ?? '',
		items: document.querySelectorAll('article .prose:first-of-type > ul > li').length,
		comments: [...document.querySelectorAll('[id^=comment-]')].filter(({ id }) => /^comment-\d+$/.test(id)).length,
		hasEnd: document.querySelector('body > footer') !== null,
	}
}

/** Runs in the page. @returns the number of frames in the texts that have their own document */
function countFrames(): number {
	const frames = [...document.querySelectorAll<HTMLIFrameElement>('.prose > iframe')]
	return frames.filter(({ contentDocument }) => contentDocument?.URL === 'about:srcdoc').length
}

/** Runs in the page: dispatches the events that handlers wait for to each content element, and follows odd links. */
async function touchEverything(): Promise<void> {
	const events = [
		'click',
		'dblclick',
		'mouseover',
		'mouseenter',
		'mousemove',
		'mousedown',
		'mouseup',
		'contextmenu',
		'wheel',
	]
	const others = [
		'pointerenter',
		'pointerdown',
		'focus',
		'focusin',
		'blur',
		'keydown',
		'input',
		'change',
		'drag',
		'drop',
	]
	const frames = [...document.querySelectorAll('iframe')].map((frame) => frame.contentDocument)
	const elements = [document, ...frames].flatMap((each) => [...(each?.querySelectorAll<HTMLElement>('*') ?? [])])
	for (const element of elements) {
		// Elements in a frame have their own class.
		const protocol = element.localName === 'a' ? (element as HTMLAnchorElement).protocol : 'https:'
		const isOddLink = !/^(https?|mailto):$/.test(protocol)
		if (isOddLink && element.hasAttribute('href')) element.click()
		// An event dispatched to one element reaches the handlers in its attributes and no others.
		const hasHandler = element.getAttributeNames().some((name) => name.startsWith('on'))
		if (hasHandler) for (const name of [...events, ...others]) element.dispatchEvent(new Event(name))
	}
	// A deferred handler, or the error of a picture that fails at once, runs before the second frame.
	await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
}
