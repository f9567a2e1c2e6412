// The cost of a page in processor time, which, unlike requests per second, does not depend on other load on the machine.
import { createHmac, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'

/**
 * Processor milliseconds of a page. `compression` is included in `server`: the difference to the same page uncompressed, which has more
 * bytes to send.
 */
export interface PageCost {
	server: number
	compression: number
	database: number
}

/** The processes of a site. */
interface Processes {
	/** Of the server. */
	pid: number | undefined
	/** The data directory, with the built-in database. */
	dataDir: string
}

const rounds = 7
const pagesPerRound = 100
const connections = 4
/** Members who take turns: each may open 600 pages a minute, search for people 120 times and write 60 times. */
export const readers = 100

/** Stands for two words, so that a search is not answered from memory. */
export const OTHER_WORDS = '{words}'
const words =
	'file list why error code python function loop string state event class value read write test server page build import query array return number time user data install version type key map'.split(
		' ',
	)
let searches = 0

/** A request to the site. */
export interface MeasuredRequest {
	/** In which {@link OTHER_WORDS} is replaced by two other words each time. */
	url: string
	/** Cookie headers of sessions that take turns; renewed cookies replace them. */
	cookies: string[]
	/** Creates the JSON body of a POST; without it the request is a GET. */
	body?: () => object
}

/** Adds logged-in members with full profiles. @param secret the site's AUTH_SECRET @returns their cookies */
export async function logReadersIn(database: pg.Client, url: string, secret: string): Promise<string[]> {
	const tokens = Array.from({ length: readers }, () => randomUUID())
	await database.query(
		`with people as (
			insert into users (username, name, email, created_at)
			select 'reader-' || n, 'Reader ' || n, 'reader-' || n || '@campus.example', now() - interval '1 year'
			from generate_series(1, $1) n returning id, username),
		filled as (
			insert into profiles (user_id, city, expertise_in, about, university_name, location, enrol_in_branch_name, year_of_passing,
				current_semester, current_year, github, portfolio)
			select id, 'Nashik', 'Frontend engineering', repeat('I build interfaces that stay calm when the network does not. ', 6),
				'Eastmere University', 'Eastmere', 'Computer Science', 2028, 5, 3, 'https://github.example/' || username, 'https://' || username || '.example'
			from people)
		insert into sessions (user_id, token, expires_at)
		select people.id, given.token, now() + interval '30 days'
		from people join unnest($2::text[]) with ordinality as given (token, n) on people.username = 'reader-' || given.n`,
		[readers, tokens],
	)
	return Promise.all(
		tokens.map(async (token) => {
			const signature = createHmac('sha256', secret).update(token).digest('base64')
			const session = `session=${encodeURIComponent(`${token}.${signature}`)}`
			// The first response sets the signed cookie that spares later requests a lookup.
			const answer = await fetch(`${url}/login`, { headers: { cookie: session }, redirect: 'manual' })
			await answer.arrayBuffer()
			return [session, ...answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0])].join('; ')
		}),
	)
}

/**
 * The median cost of several rounds, each with zstd and uncompressed.
 * @returns null if the system does not report processor time (Linux does)
 * @throws Error if a response is not a success
 */
export async function costOf(asked: MeasuredRequest, processes: Processes): Promise<PageCost | null> {
	if (processorTime(process.pid) === 0) return null
	await open(asked, 'zstd')
	const measured: Record<string, number[]> = { server: [], plain: [], database: [] }
	for (let round = 0; round < rounds; round += 1) {
		const packed = await spent(processes, () => open(asked, 'zstd'))
		const plain = await spent(processes, () => open(asked, 'identity'))
		measured.server?.push(packed.server)
		measured.plain?.push(plain.server)
		measured.database?.push(packed.database, plain.database)
	}
	const [server = 0, plain = 0, database = 0] = Object.values(measured).map(median)
	return { server, compression: Math.max(0, server - plain), database }
}

/** The rows of a table of costs, by page. */
export function costRows(costs: [page: string, cost: PageCost][]): string[] {
	return costs.map(([page, { server, compression, database }]) => {
		const all = server + database
		const figures = [server, compression, database, all].map((milliseconds) => milliseconds.toFixed(1))
		return `| ${page} | ${figures.join(' | ')} | ${Math.round(1_000 / all)} |`
	})
}

async function open({ url, cookies, body }: MeasuredRequest, coding: string): Promise<void> {
	let left = pagesPerRound
	const visit = async () => {
		while (left > 0) {
			left -= 1
			const reader = left % cookies.length
			const headers = { 'accept-encoding': coding, cookie: cookies[reader] ?? '' }
			const sent = body && { method: 'POST', body: JSON.stringify(body()) }
			const ofForm = { origin: new URL(url).origin, 'content-type': 'application/json' }
			const answer = await fetch(url.replace(OTHER_WORDS, otherWords), {
				...sent,
				headers: { ...headers, ...(body && ofForm) },
			})
			await answer.arrayBuffer()
			if (!answer.ok) throw new Error(`${url}: ${answer.status}`)
			cookies[reader] = withNewSession(headers.cookie, answer.headers.getSetCookie())
		}
	}
	await Promise.all(Array.from({ length: connections }, visit))
}

/**
 * A Cookie header with the signed cookie that a response has set, as a browser would send it. With one that is older than five minutes,
 * each request would look the session up in the database and get a new cookie, which costs more than a third of a page.
 * @param set the Set-Cookie headers of the response
 */
export function withNewSession(cookies: string, set: string[]): string {
	// A response that replaces a cookie may delete it first.
	const signed = set
		.map((cookie) => cookie.split(';')[0] ?? '')
		.findLast((cookie) => cookie.startsWith('session_data='))
	if (!signed) return cookies
	return [...cookies.split('; ').filter((cookie) => !cookie.startsWith('session_data=')), signed].join('; ')
}

function otherWords(): string {
	searches += 1
	const round = Math.floor(searches / words.length)
	return [searches, 7 * searches + round].map((place) => words[place % words.length]).join('+')
}

/** The cost of some work, per page. */
async function spent({ pid, dataDir }: Processes, work: () => Promise<void>) {
	const read = () => ({ server: processorTime(pid), database: databaseTime(dataDir) })
	const before = read()
	await work()
	const after = read()
	return {
		server: (after.server - before.server) / pagesPerRound,
		database: (after.database - before.database) / pagesPerRound,
	}
}

/** Processor milliseconds of a process so far, with threads that have ended, in steps of ten; Linux only. */
export function processTime(pid: number | undefined): number {
	const [, times = ''] = /^.*\) \S+(?: \S+){10} (\d+ \d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
	return times.split(' ').reduce((sum, ticks) => sum + Number(ticks) * 10, 0)
}

/** Processor milliseconds of all present threads of a process so far; 0 if unknown. */
export function processorTime(pid: number | string | undefined): number {
	try {
		const threads = readdirSync(`/proc/${pid}/task`)
		return threads.reduce((sum, thread) => {
			const [nanoseconds] = readFileSync(`/proc/${pid}/task/${thread}/schedstat`, 'utf8').split(' ')
			return sum + Number(nanoseconds) / 1e6
		}, 0)
	} catch {
		return 0
	}
}

/** The same for all processes of the built-in database. */
export function databaseTime(dataDir: string): number {
	const postmaster = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster)
		.reduce((sum, name) => sum + processorTime(name), 0)
}

function parentOf(pid: string): string | undefined {
	try {
		// The program's name comes first, in brackets, and may contain anything.
		return readFileSync(`/proc/${pid}/stat`, 'utf8')
			.replace(/^.*\) /s, '')
			.split(' ')[1]
	} catch {
		return undefined
	}
}

function median(values: number[]): number {
	return values.toSorted((one, other) => one - other)[Math.floor(values.length / 2)] ?? 0
}
