import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContext, expect, type Page, test } from '@playwright/test'
import pg from 'pg'
import { type SiteProcess, siteDatabase, startSite } from '../support/site-process.ts'

/*
 * Every payload of tests/data/xss.txt in every text field of the forum, in a real browser: first as the forum stores it, then
 * with the stored HTML replaced by the payload itself, as if nothing had sanitized it. No call of `alert` may ever happen;
 * in the second case the Content-Security-Policy alone is in its way. Payloads that end where they should share a page.
 */

interface PayloadPage {
	url: string
	id: string
	/** One payload, or several that are all in the texts of the page. */
	shown: string[]
	/** How many boxes there are, with one payload each, where several are shown that nothing has sanitized. */
	boxes?: number
}

/** Payloads on one page whose stored HTML is replaced. */
const BATCH_SIZE = 20

/** Characters of the payloads that share a title or an address, so that the site cuts off none of them. */
const MAX_SHARED_LENGTH = 180

/** What reaches beyond its own element, and fonts and the list of routes, which no payload needs. */
const REACHES_OUT = /<(base|meta|style|link|no(embed|frames|script))|autofocus/i
/** What is one paragraph of Markdown, whatever stands before and after it. */
const IS_PARAGRAPH = /^(<(?!pre\b)[a-z]|!?\[x\]\()[^\n\r`~]*$/i
const UNNEEDED = ['*.woff2', '*/__manifest*']

// Frames are made smaller, so that less is painted. Some payloads wait for an animation or a transition.
test.use({ viewport: { width: 480, height: 320 }, contextOptions: { reducedMotion: 'no-preference' } })

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
	const groups = grouped(payloads, (payload) => sharing.has(payload) && IS_PARAGRAPH.test(payload))
	writeFileSync(file, groups.map((shown, id) => JSON.stringify(questionOf(shown, id))).join('\n'))
	execFileSync(process.execPath, ['--import', './scripts/support/alias.mjs', 'scripts/import.ts', file], {
		stdio: ['ignore', 'ignore', 'inherit'],
		env: { PATH: process.env.PATH, DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
	})
	site = await startSite({ DATA_DIR: dataDir, SEED: 'none' })
	pages = await inDatabase(async (client) => {
		const { rows } =
			await client.query(`select '/forum/' || slug || '/' || username || '/' || q.id as url, q.id, source_id
			from questions q join categories c on c.id = category_id join users u on u.id = author_id order by q.id`)
		return rows.map(({ url, id, source_id }) => ({
			url: site.url + url,
			id,
			shown: groups[Number(source_id)] ?? [],
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

test('an alert is noticed, so that a silence means something', async ({ page }) => {
	const alerts = listen(page)
	await page.setContent('<img src=x onerror=alert(1)>')
	await expect.poll(() => alerts).toEqual(['alert'])
})

test('no payload runs from a title, text, tag, name, comment or reply', async ({ context }) => {
	test.setTimeout(300_000)
	expect(await visitAll(context, pages)).toEqual([])
})

test('no payload runs from what a page repeats of its address', async ({ context }) => {
	test.setTimeout(300_000)
	const echoes = (text: string) => [
		`/forum?q=${text}`,
		`/forum/ask?title=${text}`,
		`/forum/tag/${text}`,
		`/login?redirectTo=${text}`,
	]
	// Each address repeats it in its own way; a quarter of the payloads for each way, turned on with every payload.
	const addresses = echoes('').flatMap((address, way) => {
		const own = payloads.filter((_, index) => index % 4 === way)
		// A tag and an address are one thing as a whole, where a search and a title are words.
		const groups = grouped(own, (payload) => /\?(q|title)=$/.test(address) && sharing.has(payload))
		return groups.map((shown) => {
			const path = echoes(encodeURIComponent(shown.join(' ')))[way]
			return { url: `${site.url}${path}`, id: '', shown }
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
			for (const { id, shown } of rawPages) {
				const html =
					shown.length === 1 ? shown[0] : shown.map((payload) => `<div data-payload>${payload}</div>`).join('')
				await client.query('update questions set description_html = $1 where id = $2', [html, id])
				await client.query('update comments set body_html = $1 where question_id = $2', [html, id])
			}
			await client.query(`select pg_notify('devquad_pages', 'the-test 0 page')`)
		})
	})

	test('the policy of a kept page stops every payload', async ({ context, request }) => {
		test.setTimeout(300_000)
		const ask = () => request.get(rawPages[0]?.url ?? '')
		// The page that was kept before is dropped when its process hears of it.
		await expect.poll(async () => (await ask()).text()).toContain(rawPages[0]?.shown[0])
		expect((await ask()).headers()['content-security-policy']).toContain('sha256-')
		expect(await visitAll(context, rawPages)).toEqual([])
	})

	test('the policy of a member’s page stops every payload', async ({ context, page }) => {
		test.setTimeout(300_000)
		await page.goto(`${site.url}/register`)
		await page.getByLabel('Full Name').fill('Sela Venn')
		await page.getByLabel('Email').fill('sela.venn@eastmere.example')
		await page.getByLabel('Password', { exact: true }).fill('a lantern at the ford')
		await page.getByLabel('Confirm Password').fill('a lantern at the ford')
		await page.getByRole('button', { name: 'Register', exact: true }).click()
		await page.waitForURL('**/login?**')
		await expect(page.getByRole('heading', { level: 1, name: 'Login' })).toBeVisible()
		await page.getByLabel('Password', { exact: true }).fill('a lantern at the ford')
		await page.getByRole('button', { name: 'Login', exact: true }).click()
		await page.waitForURL('**/find-dev')
		const answer = await page.goto(rawPages[0]?.url ?? '')
		expect(answer?.headers()['content-security-policy']).toContain('nonce-')
		expect(await visitAll(context, rawPages)).toEqual([])
	})
})

/** Each of these payloads in every place that an imported question has. */
function questionOf(shown: string[], id: number) {
	return {
		id: String(id),
		title: `Payload ${shown.join(' ')}`,
		body: shown.join('\n\n'),
		tags: ['payload', ...shown],
		author: shown[0],
		created: '2026-01-01T00:00:00Z',
		answers: shown.map((payload, index) => ({
			body: payload,
			accepted: id % 2 === 0 && index === 0,
			comments: [{ body: payload }],
		})),
	}
}

/** Payloads in groups that are short enough for a title; those that may not share are alone. */
function grouped(all: string[], mayShare: (payload: string) => boolean): string[][] {
	const groups = all.filter((payload) => !mayShare(payload)).map((payload) => [payload])
	let open: string[] = []
	for (const payload of all.filter(mayShare)) {
		if ([...open, payload].join(' ').length > MAX_SHARED_LENGTH) open = []
		if (open.push(payload) === 1) groups.push(open)
	}
	return groups
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

/** Kinds of dialogs as they come, each dismissed at once. */
function listen(page: Page): string[] {
	const heard: string[] = []
	page.on('dialog', async (dialog) => {
		if (dialog.type() !== 'beforeunload') heard.push(dialog.type())
		await dialog.dismiss().catch(() => {})
	})
	return heard
}

/** The payloads of which a browser finds that each ends in the element that it is put into, and reaches no other. */
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

/** The pages for payloads that nothing sanitizes, with up to {@link BATCH_SIZE} that may share on one page. */
function batched(): PayloadPage[] {
	const mayShare = ({ shown }: PayloadPage) => shown.every((payload) => sharing.has(payload))
	const batches = pages.filter((each) => !mayShare(each))
	// Pages with few comments first, as each of them shows the whole batch.
	const shared = pages.filter(mayShare).sort((one, other) => one.shown.length - other.shown.length)
	const all = shared.flatMap(({ shown }) => shown)
	for (let start = 0; start < all.length; start += BATCH_SIZE) {
		const page = shared[start / BATCH_SIZE]
		const shown = all.slice(start, start + BATCH_SIZE)
		if (page) batches.push({ ...page, shown, boxes: (1 + 2 * page.shown.length) * shown.length })
	}
	return batches
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
			// The text, a comment and a reply each show all of them, next to each other.
			if (next.boxes) await expect(boxes, next.shown.join('\n')).toHaveCount(next.boxes)
			await page.evaluate(touchEverything).catch(() => {})
			if (heard.splice(0).length > 0) ran.push(`${next.shown.join('\n')} at ${next.url}`)
		}
		await page.close()
	}
	await Promise.all([visit(), visit(), visit()])
	return ran
}

/** Runs in the page: sends each element of the content the events that handlers wait for, and follows odd links. */
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
	for (const element of document.querySelectorAll<HTMLElement>('*')) {
		const isOddLink = element instanceof HTMLAnchorElement && !/^(https?|mailto):$/.test(element.protocol)
		if (isOddLink && element.hasAttribute('href')) element.click()
		// An event that is sent to one element reaches a handler in its attributes and none elsewhere.
		const hasHandler = element.getAttributeNames().some((name) => name.startsWith('on'))
		if (hasHandler) for (const name of [...events, ...others]) element.dispatchEvent(new Event(name))
	}
	// What a handler put off, and a picture that fails at once, comes before the second frame.
	await new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn)))
}
