import { createHmac, randomUUID } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { type SiteProcess, siteDatabase, startSite } from '../../tests/support/site-process.ts'

const secret = 'a secret that only this run knows of'
const probe = new URL('./probe.mjs', import.meta.url).href
/** Clock ticks per second, in which /proc counts processor time on Linux. */
const ticks = 100
/** Members per statement, which compares each with each. Even, as pairs are adjacent. */
const BATCH = 1_000

const standing = new Set<BenchSite>()

/** Stops all running sites after an interruption. */
export async function stopSites(): Promise<void> {
	await Promise.all([...standing].map((site) => site.stop()))
}

/** A member who can open tabs. */
export interface Member {
	username: string
	/** Username of their conversation partner. */
	peer: string
	cookie: string
}

/** Measurements of the site's process; times and counts since the previous reading. */
export interface SiteReading {
	/** Bytes. */
	resident: number
	heap: number
	external: number
	/** Processor seconds. */
	processor: number
	/** The longest block of the event loop, in milliseconds. */
	longestHold: number
	longestCollection: number
	/** Statements sent to PostgreSQL by the pool. */
	statements: number
}

/** The built site with a durable, empty database of its own, controlled from outside. */
export class BenchSite {
	readonly port: number
	private readonly folder: string
	private readonly site: SiteProcess
	private readonly database: pg.Client
	private members = 0

	private constructor(folder: string, site: SiteProcess, database: pg.Client) {
		this.folder = folder
		this.site = site
		this.database = database
		this.port = Number(new URL(site.url).port)
	}

	/**
	 * @param root folder of the build to measure; this project by default
	 * @param fill adds content to the new data directory before the start
	 * @param more environment variables
	 */
	static async start(
		root?: string,
		fill?: (folder: string) => void,
		more: Record<string, string> = {},
	): Promise<BenchSite> {
		const folder = mkdtempSync(join(tmpdir(), 'devquad-bench-chat-'))
		const settings = {
			DATA_DIR: folder,
			HOST: '127.0.0.1',
			SEED: 'none',
			AUTH_SECRET: secret,
			NODE_OPTIONS: `--import ${probe}`,
			BENCH_PROBE: join(folder, 'probe'),
			...more,
		}
		try {
			fill?.(folder)
			const site = await startSite(settings, root)
			const database = new pg.Client(siteDatabase(folder))
			await database.connect()
			const made = new BenchSite(folder, site, database)
			standing.add(made)
			return made
		} catch (error) {
			rmSync(folder, { recursive: true, force: true })
			throw error
		}
	}

	async stop(): Promise<void> {
		standing.delete(this)
		await this.database.end().catch(() => {})
		await this.site.stop()
		rmSync(this.folder, { recursive: true, force: true })
	}

	/** How the site's role connects to its database. */
	get connection(): pg.ClientConfig {
		return siteDatabase(this.folder)
	}

	/** Adds logged-in members, in adjacent pairs with a conversation. */
	async addMembers(count: number): Promise<Member[]> {
		const added = Array.from({ length: count }, (_, index) => ({
			username: `member-${this.members + index}`,
			peer: `member-${this.members + (index ^ 1)}`,
			token: randomUUID(),
		}))
		this.members += count
		for (let from = 0; from < count; from += BATCH) await this.insertMembers(added.slice(from, from + BATCH))
		await this.database.query('analyze')
		return added.map(({ token, ...member }) => ({ ...member, cookie: cookieOf(token) }))
	}

	/** @param added members with their peers */
	private async insertMembers(added: { username: string; peer: string; token: string }[]): Promise<void> {
		await this.database.query(
			`with people as (
				insert into users (username, name, email, created_at)
				select name, name, name || '@campus.example', now() - interval '1 year' from unnest($1::text[]) as name
				returning id, username),
			logged as (
				insert into sessions (user_id, token, expires_at)
				select people.id, given.token, now() + interval '30 days'
				from people join unnest($1::text[], $2::text[]) as given (name, token) on given.name = people.username),
			pairs as (
				select one.id as lower, other.id as higher from unnest($1::text[], $3::text[]) as pair (name, peer)
				join people one on one.username = pair.name join people other on other.username = pair.peer
				where one.id < other.id),
			begun as (
				insert into conversations (lower_id, higher_id, started_by) select lower, higher, lower from pairs
				returning id, lower_id, higher_id)
			insert into conversation_members (conversation_id, user_id)
			select id, unnest(array[lower_id, higher_id]) from begun`,
			[added.map(({ username }) => username), added.map(({ token }) => token), added.map(({ peer }) => peer)],
		)
	}

	/** Runs a statement in the site's database. */
	async query(statement: string): Promise<unknown[][]> {
		return (await this.database.query({ text: statement, rowMode: 'array' })).rows
	}

	/** The measurements since the previous reading. @param collect runs the garbage collector first */
	async read({ collect = false } = {}): Promise<SiteReading> {
		const socket = connect(join(this.folder, 'probe'))
		socket.write(collect ? 'collect' : 'read')
		return JSON.parse(await text(socket))
	}

	/** Processor seconds of all PostgreSQL processes so far. */
	databaseSeconds(): number {
		const postmaster = this.postmaster()
		return processIds().reduce((sum, pid) => sum + secondsOf(pid, postmaster), 0)
	}

	/**
	 * Bytes of memory of all PostgreSQL processes, with shared pages counted once; Linux only. What the bench's own connection has for
	 * itself is not the site's.
	 */
	async databaseMemory(): Promise<number> {
		const postmaster = this.postmaster()
		const [[bench] = []] = await this.query('select pg_backend_pid()')
		const all = processIds().filter((pid) => pid === postmaster || statOf(pid)?.[1] === postmaster)
		return all.reduce(
			(sum, pid) => sum + proportionalBytes(pid, pid === String(bench) ? ['Pss_File', 'Pss_Shmem'] : ['Pss']),
			0,
		)
	}

	private postmaster(): string {
		return readFileSync(join(this.folder, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[0] ?? ''
	}
}

function processIds(): string[] {
	return readdirSync('/proc').filter((name) => /^\d+$/.test(name))
}

/** The fields of /proc/…/stat after the program's name; undefined once the process has ended. */
function statOf(pid: string): string[] | undefined {
	try {
		// The name is in brackets, and may contain anything.
		return readFileSync(`/proc/${pid}/stat`, 'utf8')
			.replace(/^.*\) /s, '')
			.split(' ')
	} catch {
		return undefined
	}
}

/** A page shared by n processes counts as 1/n of it. @param kinds fields of /proc/…/smaps_rollup */
function proportionalBytes(pid: string, kinds: string[]): number {
	try {
		const rollup = readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')
		const kilobytes = kinds.map((kind) => Number(new RegExp(`^${kind}: +(\\d+) kB`, 'm').exec(rollup)?.[1] ?? 0))
		return kilobytes.reduce((sum, one) => sum + one, 0) * 1_024
	} catch {
		return 0
	}
}

function secondsOf(pid: string, parent: string): number {
	const stat = statOf(pid)
	return stat?.[1] === parent ? (Number(stat[11]) + Number(stat[12])) / ticks : 0
}

function cookieOf(token: string): string {
	const signature = createHmac('sha256', secret).update(token).digest('base64')
	return `session=${encodeURIComponent(`${token}.${signature}`)}`
}
