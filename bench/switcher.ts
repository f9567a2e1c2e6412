// npm run bench:switcher [-- FILE] [--searches 144] [--keep DIR]: the delay from the last key to the switcher's results, in a real browser.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { type Browser, chromium, type Page } from '@playwright/test'
import pg from 'pg'
import { seededRandom } from '~/features/demo/people/people.ts'
import { closeDatabase, openDatabase, pool } from '~/platform/db/db.server.ts'
import { startEmbeddedPostgres } from '~/platform/db/embedded-postgres.server.ts'
import { migrate } from '~/platform/db/migrate.server.ts'
import { NO_TIME_LIMITS } from '~/platform/db/time-limits.server.ts'
import { chromiumFlags, findChromium } from '../scripts/support/chromium.ts'
import { siteDatabase, startFirst } from '../tests/support/site-process.ts'
import { allowMeasuring } from './allow-measuring.ts'
import { seedForum } from './forum/seed.ts'
import { readTexts } from './forum/texts.ts'
import { logReadersIn } from './page-cost.ts'
import { saveResult } from './results.ts'
import { type SwitcherTimes, watchSwitcher } from './switcher/in-page.ts'

const { values: given, positionals } = parseArgs({
	allowPositionals: true,
	options: {
		searches: { type: 'string', default: '144' },
		// Stores the database in this folder for the next run; an existing one is reused.
		keep: { type: 'string' },
	},
})
const file = positionals[0] && resolve(process.env.INIT_CWD ?? '.', positionals[0])
const [members, questions] = [5_000, 20_000]
const searches = Number(given.searches)
/** A member may send 300 requests a minute, and nearly every key sends one. */
const searchesOfMember = 12
/** Milliseconds between two keys of a fast typist. */
const [fastest, slowest] = [70, 190]
/** The maximum delay from the last key to the first results, in milliseconds. */
const bound = 150
const secret = 'a secret that only this run knows of'
const pause = seededRandom(2)

/** A text typed in search of something that exists. */
interface Typed {
	kind: string
	text: string
}

/** A text with its delay. */
type Measured = Typed & SwitcherTimes

const dataDir = given.keep
	? join(resolve(process.env.INIT_CWD ?? '.', given.keep), 'switcher')
	: mkdtempSync(join(tmpdir(), 'devquad-switcher-'))
try {
	if (!existsSync(join(dataDir, 'postgres'))) await make()
	const site = await startFirst({ DATA_DIR: dataDir, HOST: '127.0.0.1', SEED: 'none', AUTH_SECRET: secret })
	try {
		report(await measureSite(site.url))
	} finally {
		await site.stop()
	}
} finally {
	if (!given.keep) rmSync(dataDir, { recursive: true, force: true })
}

async function make(): Promise<void> {
	mkdirSync(dataDir, { recursive: true, mode: 0o711 })
	const postgres = await startEmbeddedPostgres(dataDir, ['fsync=off', 'autovacuum=off', 'shared_buffers=1GB'])
	try {
		await allowMeasuring(postgres.admin)
		openDatabase({ ...postgres.connection, ...NO_TIME_LIMITS })
		await migrate(pool(), fileURLToPath(new URL('../migrations', import.meta.url)))
		await seedForum(questions, readTexts(file), members)
	} finally {
		await closeDatabase()
		await postgres.stop()
	}
}

async function measureSite(url: string): Promise<Measured[]> {
	const database = new pg.Client(siteDatabase(dataDir, 'devquad_admin'))
	await database.connect()
	const browser = await chromium.launch({ executablePath: findChromium(), args: chromiumFlags() })
	try {
		// A reused database still has those of the previous run.
		await database.query(
			`delete from users where username like 'reader-%'; delete from usernames where username like 'reader-%'; delete from left_usernames`,
		)
		const cookies = await logReadersIn(database, url, secret)
		const texts = await readTyped(database)
		const measured: Measured[] = []
		for (let first = 0; first < searches; first += searchesOfMember) {
			const part = texts.slice(first, first + searchesOfMember)
			const cookie = cookies[(first / searchesOfMember) % cookies.length] ?? ''
			measured.push(...(await searchAs(browser, url, cookie, part)))
		}
		return measured
	} finally {
		await browser.close()
		await database.end()
	}
}

/** Prefixes of existing titles, up to their third word, of names and of tags, in equal numbers. */
async function readTyped(database: pg.Client): Promise<Typed[]> {
	const random = seededRandom(1)
	const count = Math.ceil(searches / 3)
	const read = async (statement: string) => (await database.query<{ text: string }>(statement, [count])).rows
	const titles = await read('select title as text from questions order by hashint4(id) limit $1')
	const names = await read(`select u.name as text from users u join member_search s on s.user_id = u.id
		where u.username not like 'reader-%' order by hashint4(u.id) limit $1`)
	const tags = await read('select name as text from tags where question_count > 0 order by hashint4(id) limit $1')
	const within = (text: string, least: number) =>
		text.slice(0, least + Math.floor(random() * (text.length - least + 1)))
	const beginning = (title: string) => {
		const [, words = title, third = ''] = /^((?:\S+\s+){0,2})(\S*)/.exec(title) ?? []
		return `${words}${within(third, Math.min(2, third.length))}`.trim()
	}
	const kinds: [string, string[]][] = [
		['title up to its third word', titles.map(({ text }) => beginning(text))],
		['name of a member', names.map(({ text }) => within(text, Math.min(4, text.length)))],
		['tag', tags.map(({ text }) => within(text, Math.min(2, text.length)))],
	]
	return Array.from({ length: searches }, (_, index) => {
		const [kind, texts] = kinds[index % kinds.length] ?? ['', []]
		return { kind, text: texts[Math.floor(index / kinds.length) % texts.length] ?? '' }
	})
}

/** Types texts into the switcher in one member's tab, after a warm-up search that loads its scripts. */
async function searchAs(browser: Browser, url: string, cookie: string, texts: Typed[]): Promise<Measured[]> {
	const context = await browser.newContext({ viewport: { width: 1280, height: 800 } })
	try {
		await context.addCookies(cookie.split('; ').map((each) => ({ ...nameAndValue(each), url })))
		const page = await context.newPage()
		await page.addInitScript(watchSwitcher)
		await page.goto(`${url}/bookmarks`)
		await page.locator('html[data-hydrated]').waitFor({ state: 'attached' })
		await page.keyboard.press('Control+k')
		await page.getByRole('dialog', { name: 'Search' }).getByRole('combobox').waitFor()
		await typeAndWait(page, 'question')
		const measured: Measured[] = []
		for (const typed of texts) measured.push({ ...typed, ...(await typeAndWait(page, typed.text)) })
		return measured
	} finally {
		await context.close()
	}
}

function nameAndValue(cookie: string): { name: string; value: string } {
	const [name = '', ...rest] = cookie.split('=')
	return { name, value: rest.join('=') }
}

async function typeAndWait(page: Page, text: string): Promise<SwitcherTimes> {
	await page.keyboard.press('Control+a')
	await page.keyboard.press('Delete')
	const type = async () => {
		for (const key of text) {
			await page.keyboard.type(key)
			await rest()
		}
	}
	const [waited] = await Promise.all([page.evaluate((wanted) => window.shownAfter(wanted), text), type()])
	return waited
}

/** The pause until the next key. */
function rest(): Promise<void> {
	const ms = fastest + pause() * (slowest - fastest)
	return new Promise((resolve) => setTimeout(resolve, ms))
}

function report(measured: Measured[]): void {
	const kinds = [...new Set(measured.map(({ kind }) => kind))]
	const texts = file ? 'recombined from an import file' : 'invented'
	const rows = [
		...kinds.map((kind) => [kind, measured.filter((each) => each.kind === kind)] as const),
		['all', measured] as const,
	].map(([name, of]) => rowOf(name, of))
	const text = `### The switcher, at ${questions.toLocaleString('en')} queries and ${members.toLocaleString('en')} members

\`npm run bench:switcher\` on ${cpus().length} cores of a shared virtual machine (load ${loadavg()[0]?.toFixed(1)}), ${new Date().toISOString().slice(0, 10)}: the built site with its own limits and Chromium
on the same machine. Members type what is there, a key every ${fastest} to ${slowest} ms, each key as a real one. Milliseconds from the last key's event
to the picture that shows all that was found for the whole text; ${bound} are wanted. “Asked” and “answered” are when the page asked for it and
had the first byte of the answer. Texts: ${texts}.

| typed | searches | nothing found | asked p50 | answered p50 | shown p50 | shown p95 | most | within ${bound} ms |
|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`
	process.stdout.write(text)
	saveResult('switcher', text)
}

function rowOf(name: string, of: Measured[]): string {
	const shown = of.flatMap((each) => (each.shown === null ? [] : [{ ...each, shown: each.shown }]))
	const at = (share: number, which: 'asked' | 'answered' | 'shown') => {
		const times = shown.map((each) => each[which]).toSorted((one, other) => one - other)
		return (times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0).toFixed(0)
	}
	const within = shown.filter(({ shown }) => shown <= bound).length / shown.length
	const times = [at(0.5, 'asked'), at(0.5, 'answered'), at(0.5, 'shown'), at(0.95, 'shown'), at(1, 'shown')]
	return `| ${[name, of.length, of.length - shown.length, ...times, `${(100 * within).toFixed(0)} %`].join(' | ')} |`
}
