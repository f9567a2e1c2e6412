import { Crowd } from './crowd.ts'
import { at, grouped, megabytes, ms, percent, watch } from './figures.ts'
import { BenchSite } from './site.ts'

const warmSeconds = 5
const seconds = 30

/** The latency of messages, with one message per second and pair. @returns a table */
export async function delivery(sizes: number[]): Promise<string> {
	const rows: string[] = []
	for (const pairs of sizes) rows.push(await measure(pairs))
	return `### How long a message takes

One message a second for each pair, ${seconds} s after ${warmSeconds} s of warming up; each reader says how far they have read. The longest pause
is the time for which the process could do nothing else.

| pairs | messages | delivered p50 ms | p99 ms | longest ms | acknowledged p50 ms | p99 ms | lost | longest pause ms | statements a message | server | PostgreSQL | memory |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`
}

async function measure(pairs: number): Promise<string> {
	const site = await BenchSite.start()
	const crowd = new Crowd()
	try {
		await crowd.open(await site.addMembers(pairs * 2), site.port)
		await crowd.write({ rate: pairs, seconds: warmSeconds })
		const { value, reading, server, database } = await watch(site, () => crowd.write({ rate: pairs, seconds }))
		const { sent, delivered, acknowledged, failed, missing } = value
		const cells = [
			grouped(pairs),
			grouped(sent),
			at(delivered, 0.5),
			at(delivered, 0.99),
			at(delivered, 1),
			at(acknowledged, 0.5),
			at(acknowledged, 0.99),
			grouped(failed + missing),
			ms(reading.longestHold),
			(reading.statements / sent).toFixed(1),
			percent(server),
			percent(database),
			`${megabytes(reading.resident)} MB`,
		]
		return `| ${cells.join(' | ')} |`
	} finally {
		await crowd.end()
		await site.stop()
	}
}
