import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from 'kysely'
import { expect } from 'vitest'
import { makeToken } from '~/features/tokens/tokens.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { makeMember, makeQuestion } from '../factories/forum.ts'

/*
 * Members who write comments by the API while a test breaks the site, and who remember what was acknowledged. At the end the
 * rows of the database say what was lost and what was doubled.
 */

/** Milliseconds between two writes of a member: below the API's limit of 60 writes a minute. */
const WRITE_INTERVAL_MS = 1_050
/** No request may stay without an answer for longer, in milliseconds. An answer is a status, or a closed connection. */
export const MAX_ANSWER_MS = 10_000
/** Milliseconds that a client waits for before it gives a request up: longer than allowed, so that a hang is seen. */
const CLIENT_TIMEOUT_MS = 30_000
const RETRY_PAUSE_MS = 250

export interface Count {
	/** Writes that were answered with 201. */
	acknowledged: number
	/** Requests that failed: an error status, or no answer at all. */
	failed: number
	/** Acknowledged comments that have no row. */
	lost: string[]
	/** Comments with more than one row. */
	doubled: string[]
	/** The longest time that a request took to be answered, in milliseconds. */
	longestMs: number
	/** How often each failure came: a status, or the name of a network error. */
	failures: Record<string, number>
}

interface Writer {
	name: string
	token: string
	/** Half of the writers send a comment again, under its idempotency key, until it is acknowledged; the others go on. */
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

	/** @param url the site's address at this moment: it may come back at another port */
	constructor(url: () => string) {
		this.url = url
	}

	/** Makes the members and begins to write. @param members how many; each writes about once a second */
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

	/** Writes that were acknowledged until now. */
	get acknowledgedCount(): number {
		return this.acknowledged.length
	}

	/** Writes no more, waits for what is under way, and compares what was acknowledged with the rows. */
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
			// The body counts as well: an answer that breaks off acknowledges nothing.
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
