import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember, makeQuestion } from '../factories/forum.ts'

/*
 * Members who write comments by the API while a test breaks the site, and count what was acknowledged. At the end the rows show lost and
 * duplicate writes.
 */

/** Milliseconds between two writes of a member: below the API's limit of 60 writes a minute. */
const WRITE_INTERVAL_MS = 1_050
/** The maximum time until a response, in milliseconds. A closed connection counts as one. */
export const MAX_ANSWER_MS = 10_000
/** Milliseconds after which a client gives up, longer than allowed, so that a hang is detected. */
const CLIENT_TIMEOUT_MS = 30_000
const RETRY_PAUSE_MS = 250

export interface Count {
	/** Writes with a 201. */
	acknowledged: number
	/** Requests that failed: an error status, or no response. */
	failed: number
	/** Acknowledged comments that have no row. */
	lost: string[]
	/** Comments with more than one row. */
	doubled: string[]
	/** The longest response time in milliseconds. */
	longestMs: number
	/** Failures by status or network error. */
	failures: Record<string, number>
}

interface Writer {
	name: string
	token: string
	/** Half of the writers retry a comment with its idempotency key until it is acknowledged; the others move on. */
	retries: boolean
}

/** Counts what a site acknowledges. The database of the site must be open in this process. */
export class CountingClient {
	private readonly url: () => string
	private readonly writers: Writer[] = []
	private readonly acknowledged: string[] = []
	private readonly failures: Record<string, number> = {}
	private questionId = 0
	private longestMs = 0
	private stopping = false
	private running: Promise<unknown> = Promise.resolve()

	/** @param url returns the site's present address: it may restart on another port */
	constructor(url: () => string) {
		this.url = url
	}

	/** Creates the members and starts writing. @param members their number; each writes about once a second */
	async start(members: number): Promise<void> {
		const run = randomUUID().slice(0, 8)
		const asker = await makeMember(`asker-${run}`)
		this.questionId = (await makeQuestion(asker)).id
		for (let index = 0; index < members; index += 1) {
			const name = `writer-${run}-${index}`
			const member = await makeMember(name)
			const { token } = await makeToken(member, { name, scopes: ['read', 'write'], days: '30' })
			this.writers.push({ name, token, retries: index % 2 === 0 })
		}
		this.running = Promise.all(this.writers.map((writer, index) => this.write(writer, index / members)))
	}

	/** Writes acknowledged so far. */
	get acknowledgedCount(): number {
		return this.acknowledged.length
	}

	/** Stops, waits for pending requests, and compares acknowledged writes with the rows. */
	async stop(): Promise<Count> {
		this.stopping = true
		await this.running
		const rows = await this.readBodies()
		const { acknowledged, failures, longestMs } = this
		return {
			acknowledged: acknowledged.length,
			failed: Object.values(failures).reduce((sum, count) => sum + count, 0),
			lost: acknowledged.filter((body) => !rows.has(body)),
			doubled: [...rows].filter(([, count]) => count > 1).map(([body]) => body),
			longestMs: Math.round(longestMs),
			failures,
		}
	}

	private async write(writer: Writer, phase: number): Promise<void> {
		await sleep(phase * WRITE_INTERVAL_MS)
		for (let count = 1; !this.stopping; count += 1) {
			const began = performance.now()
			const body = `${writer.name} ${count}`
			const key = randomUUID()
			while (!(await this.post(writer, body, key)) && writer.retries && !this.stopping) await sleep(RETRY_PAUSE_MS)
			await sleep(Math.max(0, WRITE_INTERVAL_MS - (performance.now() - began)))
		}
	}

	/** Sends a comment once. @returns whether it was acknowledged */
	private async post({ token }: Writer, body: string, key: string): Promise<boolean> {
		const began = performance.now()
		const outcome = await fetch(`${this.url()}/api/v1/queries/${this.questionId}/comments`, {
			method: 'POST',
			headers: { Authorization: `Bearer ${token}`, 'Content-Type': 'application/json', 'Idempotency-Key': key },
			body: JSON.stringify({ body }),
			signal: AbortSignal.timeout(CLIENT_TIMEOUT_MS),
		}).then(
			// Includes the body: a truncated response is no acknowledgement.
			async (answer) => {
				await answer.text()
				return answer.status
			},
			(error: Error & { cause?: { code?: string } }) => error.cause?.code ?? error.name,
		)
		this.longestMs = Math.max(this.longestMs, performance.now() - began)
		if (outcome === 201 || outcome === 200) this.acknowledged.push(body)
		else this.failures[outcome] = (this.failures[outcome] ?? 0) + 1
		return outcome === 201 || outcome === 200
	}

	private async readBodies(): Promise<Map<string, number>> {
		const { rows } = await sql<{ body: string; count: number }>`
			select body, count(*)::int as count from comments where question_id = ${this.questionId} group by body`.execute(
			db(),
		)
		return new Map(rows.map(({ body, count }) => [body, count]))
	}
}

/**
 * Prints the figures of a run and insists that nothing acknowledged was lost or doubled, and that every request was answered
 * in time. A run in which nothing failed has broken nothing, so it does not count either.
 */
export function judge(count: Count, writers: number, what: string): void {
	const figures = { ...count, lost: count.lost.length, doubled: count.doubled.length }
	process.stdout.write(`${what}: ${JSON.stringify(figures)}\n`)
	expect(count.lost).toEqual([])
	expect(count.doubled).toEqual([])
	expect(count.acknowledged).toBeGreaterThan(writers * 10)
	expect(count.failed).toBeGreaterThan(0)
	expect(count.longestMs).toBeLessThan(MAX_ANSWER_MS)
}
