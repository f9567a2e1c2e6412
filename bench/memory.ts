// npm run bench:memory [-- FILE.jsonl.gz] [--minutes N] [--encoder]: the memory of the built site during mixed traffic of visitors and members, with a
// thousand open tabs; with --encoder, the sentence encoder is on, and members type titles too. It depends little on other load on the machine.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { questionUrl } from '~/features/search/search.view.ts'
import { Crowd } from './chat/crowd.ts'
import { BenchSite, type Member, stopSites } from './chat/site.ts'
import { withNewSession } from './page-cost.ts'
import { writeQuestions } from './questions.ts'
import { saveResult } from './results.ts'

const tabs = 1_000
/** Requests per second; the bench must not be what is measured. */
const requestRate = 15
const messageRate = 5
const MEGABYTE = 2 ** 20
/** Minutes after which caches and the compiler are expected to have what they need. */
const warmMinutes = 5

/** The memory at the end of a minute, in MB. */
interface Sample {
	minute: number
	node: number
	/** Of it the live JavaScript heap, and buffers outside it; after a collection in the first and the last minute, with garbage otherwise. */
	heap: number
	external: number
	database: number
	/** Requests answered so far. */
	requests: number
	/** Messages of this minute that were refused, or not delivered within the time that the bench waits. */
	lost: number
}

/** What readers request. */
interface Places {
	questions: { id: number; url: string; title: string }[]
	categories: string[]
}

const { values: given, positionals } = parseArgs({
	allowPositionals: true,
	options: { minutes: { type: 'string', default: '30' }, encoder: { type: 'boolean', default: false } },
})
const minutes = Number(given.minutes)
if (!Number.isInteger(minutes) || minutes < 1) {
	process.stderr.write('Usage: npm run bench:memory -- [FILE.jsonl.gz] [--minutes N] [--encoder]\n')
	process.exit(1)
}
for (const signal of ['SIGINT', 'SIGTERM'] as const)
	process.once(signal, () => void stopSites().finally(() => process.exit(1)))

const scratch = mkdtempSync(join(tmpdir(), 'devquad-bench-memory-'))
const crowd = new Crowd()
try {
	const file = positionals[0] ? resolve(process.env.INIT_CWD ?? '.', positionals[0]) : join(scratch, 'questions.jsonl')
	if (!positionals[0]) await writeQuestions(file, 7_000)
	const settings = { SENTENCE_ENCODER: String(given.encoder) }
	const site = await BenchSite.start(undefined, (folder) => importFile(file, folder), settings)
	try {
		// The encoder would need an hour for the imported questions.
		await site.query("update question_vectors set vector = ''")
		const members = await site.addMembers(tabs)
		await crowd.open(members, site.port)
		const samples = await sampled(site, members)
		const text = report(samples)
		process.stdout.write(text)
		saveResult(given.encoder ? 'memory-encoder' : 'memory', text)
	} finally {
		await crowd.end()
		await site.stop()
	}
} finally {
	rmSync(scratch, { recursive: true, force: true })
}

function importFile(file: string, folder: string): void {
	execFileSync(process.execPath, ['--import', './scripts/support/alias.mjs', 'scripts/import.ts', file], {
		stdio: ['ignore', 'inherit', 'ignore'],
		env: { ...process.env, DATA_DIR: folder },
	})
}

/** Runs the traffic, and samples each minute. @throws Error if a response is neither a success nor 503 */
async function sampled(site: BenchSite, members: Member[]): Promise<Sample[]> {
	const places = await readPlaces(site)
	const samples: Sample[] = []
	let requests = 0
	for (let minute = 1; minute <= minutes; minute += 1) {
		const [wrote, answered] = await Promise.all([
			crowd.write({ rate: messageRate, seconds: 60 }),
			request(site.port, members, places, 60),
		])
		requests += answered
		const { resident, heap, external } = await site.read({ collect: minute === 1 || minute === minutes })
		samples.push({
			minute,
			requests,
			node: resident / MEGABYTE,
			heap: heap / MEGABYTE,
			external: external / MEGABYTE,
			database: (await site.databaseMemory()) / MEGABYTE,
			lost: wrote.failed + wrote.missing,
		})
		process.stderr.write(`${rowOf(samples.at(-1) as Sample)}\n`)
	}
	return samples
}

async function readPlaces(site: BenchSite): Promise<Places> {
	const rows = (await site.query(`select q.id, q.title, c.slug, u.username from questions q
		join categories c on c.id = category_id join users u on u.id = author_id order by q.id`)) as [
		number,
		string,
		string,
		string,
	][]
	return {
		questions: rows.map(([id, title, category_slug, username]) => ({
			id,
			title,
			url: questionUrl({ id, title, category_slug, username }),
		})),
		categories: [...new Set(rows.map(([, , slug]) => slug))],
	}
}

/** Sends requests at {@link requestRate}, whether or not earlier ones were answered. @returns how many */
async function request(port: number, members: Member[], places: Places, seconds: number): Promise<number> {
	const pending = new Set<Promise<void>>()
	const start = performance.now()
	let sent = 0
	for (; performance.now() - start < seconds * 1_000; await sleep(5)) {
		for (; sent < ((performance.now() - start) / 1_000) * requestRate; sent += 1) {
			const one = visit(port, any(members), places).finally(() => pending.delete(one))
			// Its error is thrown below.
			one.catch(() => {})
			pending.add(one)
		}
	}
	await Promise.all(pending)
	return sent
}

/** One request of a visitor or a member, whose browser keeps the cookies. @throws Error if it is answered with neither success nor 503 */
async function visit(port: number, member: Member, places: Places): Promise<void> {
	const { username, peer } = member
	const origin = `http://localhost:${port}`
	const question = any(places.questions)
	const words = encodeURIComponent(question.title.split(' ').slice(0, 4).join(' '))
	const asVisitor = () => fetch(origin + any([question.url, question.url, '/forum', '/']))
	const asMember = async (path: string, written?: object) => {
		const posted = written && { method: 'POST', body: JSON.stringify(written) }
		const headers = { cookie: member.cookie, ...(written && { origin, 'content-type': 'application/json' }) }
		const answer = await fetch(origin + path, { ...posted, headers })
		member.cookie = withNewSession(member.cookie, answer.headers.getSetCookie())
		return answer
	}
	const comment = () =>
		asMember(`/api/v1/queries/${question.id}/comments`, { body: `What did the *log* say, ${username}?` })
	const acts = [
		asVisitor,
		asVisitor,
		asVisitor,
		() => asMember(question.url),
		() => asMember(`${question.url}.data`),
		() => asMember('/forum'),
		() => asMember(`/forum/category/${any(places.categories)}`),
		() => asMember(`/forum?q=${words}`),
		() => asMember(`/search?q=${words}`),
		() => asMember(`/find-dev/${peer}`),
		() => asMember(`/find-dev?q=${peer}`),
		() => asMember(`/messages/${peer}`),
		comment,
		...(given.encoder ? [() => asMember(`/suggest/similar?title=${words}`)] : []),
	]
	const answer = await any(acts)()
	await answer.arrayBuffer()
	// An overloaded machine: the site then asks clients to retry later.
	if (answer.status === 503) return
	if (!answer.ok) throw new Error(`${answer.url}: ${answer.status}`)
}

function any<Item>(items: readonly Item[]): Item {
	return items[Math.floor(Math.random() * items.length)] as Item
}

function report(samples: Sample[]): string {
	const after = samples.filter(({ minute }) => minute > Math.min(warmMinutes, minutes - 1))
	const shown = samples.filter(({ minute }) => minute === 1 || minute % 5 === 0)
	const growth = (of: 'node' | 'database') =>
		after.length < 2 ? 'unknown' : slope(after.map((sample) => [sample.minute / 60, sample[of]])).toFixed(0)
	const [title, option] = given.encoder ? [' with the sentence encoder', ' -- --encoder'] : ['', '']
	return `### Memory over ${minutes} minutes${title}

\`npm run bench:memory${option}\`: ${tabs.toLocaleString('en')} open tabs, ${requestRate} requests a second of visitors and members to pages, searches, profiles and
conversations, comments among them, and ${messageRate} messages a second. The sentence encoder is ${given.encoder ? 'on, and titles are typed too' : 'off'}. MB; what PostgreSQL's processes share counts once.

| minute | requests | Node, resident | of it heap | buffers | PostgreSQL | messages late or lost |
|---|---|---|---|---|---|---|
${shown.map(rowOf).join('\n')}

The heap is that after a collection in the first and the last minute, and includes garbage otherwise.

Growth per hour after the first ${warmMinutes} minutes, by least squares: MB of Node ${growth('node')}, of PostgreSQL ${growth('database')}. ${new Date().toISOString().slice(0, 10)}, ${cpus().length} cores of a
shared virtual machine, Node ${process.versions.node}.
`
}

function rowOf({ minute, requests, lost, ...memory }: Sample): string {
	const megabytes = [memory.node, memory.heap, memory.external, memory.database].map(Math.round)
	return `| ${[minute, requests.toLocaleString('en'), ...megabytes, lost].join(' | ')} |`
}

/** The slope of the line through these points that fits best (least squares). */
function slope(points: [x: number, y: number][]): number {
	const mean = (values: number[]) => values.reduce((sum, value) => sum + value, 0) / values.length
	const [x, y] = [mean(points.map(([at]) => at)), mean(points.map(([, value]) => value))]
	const square = points.reduce((sum, [at]) => sum + (at - x) ** 2, 0)
	return square === 0 ? 0 : points.reduce((sum, [at, value]) => sum + (at - x) * (value - y), 0) / square
}
