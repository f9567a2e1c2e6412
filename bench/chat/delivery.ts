import { measureBaseline } from './baseline.ts'
import { Crowd } from './crowd.ts'
import { formatQuantile, grouped, measureLoad, megabytes, ms, percent, quantile } from './figures.ts'
import { BenchSite } from './site.ts'

const warmSeconds = 5
const seconds = 30

/** The latency of messages, with one message per second and pair. @returns two tables */
export async function delivery(sizes: number[]): Promise<string> {
	const measured: Measured[] = []
	for (const pairs of sizes) measured.push(await measure(pairs))
	return `### How long a message takes

One message a second for each pair, ${seconds} s after ${warmSeconds} s of warming up; each reader says how far they have read. The longest pause
is the time for which the process could do nothing else.

| pairs | messages | delivered p50 ms | p99 ms | longest ms | acknowledged p50 ms | p99 ms | lost | longest pause ms | statements a message | server | PostgreSQL | memory |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
${measured.map(({ row }) => row).join('\n')}

In the same run, beside the site: the same tabs on a process that only passes messages on by the same socket library, and on one that also
inserts them into a small table, those of the same moment with one commit. The last two columns are the site's times as multiples of the latter.

| pairs | passed on p50 ms | p99 ms | stored and passed on p50 ms | p99 ms | site p50 | site p99 |
|---|---|---|---|---|---|---|
${measured.map(({ floors }) => floors).join('\n')}
`
}

interface Measured {
	/** Cells of the two tables. */
	row: string
	floors: string
}

async function measure(pairs: number): Promise<Measured> {
	const site = await BenchSite.start()
	const crowd = new Crowd()
	try {
		await crowd.open(await site.addMembers(pairs * 2), site.port)
		await crowd.write({ rate: pairs, seconds: warmSeconds })
		const { value, reading, server, database } = await measureLoad(site, () => crowd.write({ rate: pairs, seconds }))
		const { sent, delivered, acknowledged, failed, missing } = value
		const cells = [
			grouped(pairs),
			grouped(sent),
			formatQuantile(delivered, 0.5),
			formatQuantile(delivered, 0.99),
			formatQuantile(delivered, 1),
			formatQuantile(acknowledged, 0.5),
			formatQuantile(acknowledged, 0.99),
			grouped(failed + missing),
			ms(reading.longestHold),
			(reading.statements / sent).toFixed(1),
			percent(server),
			percent(database),
			`${megabytes(reading.resident)} MB`,
		]
		return { row: `| ${cells.join(' | ')} |`, floors: await compare(site, pairs, delivered) }
	} finally {
		await crowd.end()
		await site.stop()
	}
}

async function compare(site: BenchSite, pairs: number, delivered: Float64Array): Promise<string> {
	const pace = { pairs, warmSeconds, seconds }
	const { delivered: passed } = await measureBaseline(null, pace)
	const { delivered: stored } = await measureBaseline(site.connection, pace)
	const times = [passed, stored].flatMap((one) => [formatQuantile(one, 0.5), formatQuantile(one, 0.99)])
	const multiples = [0.5, 0.99].map((share) => `${(quantile(delivered, share) / quantile(stored, share)).toFixed(1)} ×`)
	return `| ${[grouped(pairs), ...times, ...multiples].join(' | ')} |`
}
