// What a page costs in time of the processor, which other programs on the machine do not change as they change requests a second.
import { createHmac, randomUUID } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type pg from 'pg'

/**
 * Milliseconds of the processor for one page; `compression` is a part of `server`: what it adds to the same page without a coding, which
 * has more bytes to send.
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
	/** Its data directory, with the built-in database. */
	dataDir: string
}

const rounds = 7
const pagesPerRound = 100
const connections = 4
/** Each may open 600 pages a minute. */
const readers = 40

/**
 * Adds members who are logged in at the site.
 * @param secret its AUTH_SECRET
 * @returns their cookies
 */
export async function logReadersIn(database: pg.Client, url: string, secret: string): Promise<string[]> {
	const tokens = Array.from({ length: readers }, () => randomUUID())
	await database.query(
		`with people as (
			insert into users (username, name, email, created_at)
			select 'reader-' || n, 'Reader ' || n, 'reader-' || n || '@campus.example', now() - interval '1 year'
			from generate_series(1, $1) n returning id, username)
		insert into sessions (user_id, token, expires_at)
		select people.id, given.token, now() + interval '1 day'
		from people join unnest($2::text[]) with ordinality as given (token, n) on people.username = 'reader-' || given.n`,
		[readers, tokens],
	)
	return Promise.all(
		tokens.map(async (token) => {
			const signature = createHmac('sha256', secret).update(token).digest('base64')
			const session = `session=${encodeURIComponent(`${token}.${signature}`)}`
			// The first answer brings the signed cookie that later requests are believed by.
			const answer = await fetch(`${url}/login`, { headers: { cookie: session }, redirect: 'manual' })
			await answer.arrayBuffer()
			return [session, ...answer.headers.getSetCookie().map((cookie) => cookie.split(';')[0])].join('; ')
		}),
	)
}

/**
 * The median of some rounds of one page, each with zstd and without a coding.
 * @param cookies of those who ask, in turn
 * @returns null where the system does not tell what a process costs (Linux does)
 * @throws Error when an answer is not 200
 */
export async function costOf(url: string, processes: Processes, cookies: string[]): Promise<PageCost | null> {
	if (processorTime(process.pid) === 0) return null
	await open(url, cookies, 'zstd')
	const measured: Record<string, number[]> = { server: [], plain: [], database: [] }
	for (let round = 0; round < rounds; round += 1) {
		const packed = await spent(processes, () => open(url, cookies, 'zstd'))
		const plain = await spent(processes, () => open(url, cookies, 'identity'))
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

async function open(url: string, cookies: string[], coding: string): Promise<void> {
	let left = pagesPerRound
	const visit = async () => {
		while (left > 0) {
			left -= 1
			const headers = { 'accept-encoding': coding, cookie: cookies[left % cookies.length] ?? '' }
			const answer = await fetch(url, { headers })
			await answer.arrayBuffer()
			if (answer.status !== 200) throw new Error(`${url}: ${answer.status}`)
		}
	}
	await Promise.all(Array.from({ length: connections }, visit))
}

/** What this work cost, for each page. */
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

/** Milliseconds that all threads of a process have had a processor so far; 0 where nobody tells. */
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

/** The same for the built-in database, all its processes together. */
export function databaseTime(dataDir: string): number {
	const postmaster = readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0]
	return readdirSync('/proc')
		.filter((name) => /^\d+$/.test(name) && parentOf(name) === postmaster)
		.reduce((sum, name) => sum + processorTime(name), 0)
}

function parentOf(pid: string): string | undefined {
	try {
		// The name of the program comes first, in brackets, and may hold anything.
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
