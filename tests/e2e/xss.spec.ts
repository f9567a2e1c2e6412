import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type BrowserContext, expect, type Page, test } from '@playwright/test'
import pg from 'pg'
import { siteDatabase } from '../support/site-database.ts'
import { type SiteProcess, startSite } from '../support/site-process.ts'

/*
 * Every payload of tests/data/xss.txt in every text field of the forum, in a real browser: first as the forum stores it, then
 * with the stored HTML replaced by the payload itself, as if nothing had sanitized it. No call of `alert` may ever happen;
 * in the second case the Content-Security-Policy alone is in its way.
 */

const payloads = readFileSync('tests/data/xss.txt', 'utf8')
	.split('\n')
	.filter((line) => line.startsWith('"'))
	.map((line) => JSON.parse(line) as string)

const dataDir = mkdtempSync(join(tmpdir(), 'devquad-xss-'))
let site: SiteProcess
let pages: { url: string; payload: string }[]

test.beforeAll(async () => {
	const file = join(dataDir, 'payloads.jsonl')
	writeFileSync(file, payloads.map((payload, id) => JSON.stringify(questionOf(payload, id))).join('\n'))
	execFileSync(process.execPath, ['--import', './scripts/support/alias.mjs', 'scripts/import.ts', file], {
		stdio: ['ignore', 'ignore', 'inherit'],
		env: { PATH: process.env.PATH, DATA_DIR: dataDir, LOG_LEVEL: 'warn' },
	})
	site = await startSite({ DATA_DIR: dataDir, SEED: 'none' })
	pages = await inDatabase(async (client) => {
		const { rows } = await client.query(`select '/forum/' || slug || '/' || username || '/' || q.id as url, source_id
			from questions q join categories c on c.id = category_id join users u on u.id = author_id order by q.id`)
		return rows.map(({ url, source_id }) => ({ url: site.url + url, payload: payloads[Number(source_id)] ?? '' }))
	})
})

test.afterAll(async () => {
	await site?.stop()
	rmSync(dataDir, { recursive: true, force: true })
})

test('there are at least 300 payloads, and each has its page', () => {
	expect(new Set(payloads).size).toBe(payloads.length)
	expect(payloads.length).toBeGreaterThanOrEqual(300)
	expect(pages.map(({ payload }) => payload).sort()).toEqual(payloads.toSorted())
})

test('an alert is noticed, so that a silence means something', async ({ page }) => {
	const alerts = listen(page)
	await page.setContent('<img src=x onerror=alert(1)>')
	await expect.poll(() => alerts).toEqual(['alert'])
})

test('no payload runs from a title, text, tag, name, comment or reply', async ({ context }) => {
	test.setTimeout(300_000)
	expect(await visitAll(context, ({ url }) => [url])).toEqual([])
})

test('no payload runs from what a page repeats of its address', async ({ context }) => {
	test.setTimeout(300_000)
	const echoes = (payload: string) => {
		const text = encodeURIComponent(payload)
		return [`/forum?q=${text}`, `/forum/ask?title=${text}`, `/forum/tag/${text}`, `/login?redirectTo=${text}`].map(
			(path) => site.url + path,
		)
	}
	// Each address repeats it in its own way; a quarter of the payloads for each way, turned on with every payload.
	expect(await visitAll(context, ({ payload }, index) => echoes(payload).slice(index % 4, (index % 4) + 1))).toEqual([])
})

test.describe('with the sanitizer switched off', () => {
	test.beforeAll(() =>
		inDatabase(async (client) => {
			await client.query('update questions set description_html = description')
			await client.query('update comments set body_html = body')
			await client.query(`select pg_notify('devquad_pages', 'the-test page')`)
		}),
	)

	test('the policy of a kept page stops every payload', async ({ context, request }) => {
		test.setTimeout(300_000)
		const ask = () => request.get(pages[0]?.url ?? '')
		// The page that was kept before is dropped when its process hears of it.
		await expect.poll(async () => (await ask()).text()).toContain(payloads[0])
		expect((await ask()).headers()['content-security-policy']).toContain('sha256-')
		expect(await visitAll(context, ({ url }) => [url])).toEqual([])
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
		const answer = await page.goto(pages[0]?.url ?? '')
		expect(answer?.headers()['content-security-policy']).toContain('nonce-')
		expect(await visitAll(context, ({ url }) => [url])).toEqual([])
	})
})

/** One payload in every place that an imported question has. */
function questionOf(payload: string, id: number) {
	return {
		id: String(id),
		title: `Payload ${payload}`,
		body: payload,
		tags: ['payload', payload],
		author: payload,
		created: '2026-01-01T00:00:00Z',
		answers: [{ body: payload, accepted: id % 2 === 0, comments: [{ body: payload }] }],
	}
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

/** Opens every payload's addresses and does to each element what a reader might. @returns the payloads that ran */
async function visitAll(
	context: BrowserContext,
	addressesOf: (page: { url: string; payload: string }, index: number) => string[],
): Promise<string[]> {
	const queue = pages.flatMap((page, index) =>
		addressesOf(page, index).map((address) => ({ address, payload: page.payload })),
	)
	const ran: string[] = []
	const visit = async () => {
		const page = await context.newPage()
		const heard = listen(page)
		for (let next = queue.pop(); next; next = queue.pop()) {
			await page.goto(next.address).catch(() => {})
			await page.evaluate(touchEverything).catch(() => {})
			if (heard.splice(0).length > 0) ran.push(`${next.payload} at ${next.address}`)
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
