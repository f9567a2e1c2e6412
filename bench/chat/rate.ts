import { Crowd } from './crowd.ts'
import type { WriteResult } from './crowd-process.ts'
import { formatQuantile, grouped, haveAllArrived, type Load, measureLoad, ms, percent, quantile } from './figures.ts'
import { BenchSite } from './site.ts'

/** Each member may send 30 messages in 10 s, so this many pairs exceed the capacity of a process. */
const pairs = 1_000
const seconds = 6
/** The maximum p99 latency, in milliseconds. */
const MAX_DELAY_MS = 200
const first = 200
/** The search ends when the passing and the failing rate are this close. */
const maxRatio = 1.08

interface Step extends Load {
	rate: number
	value: WriteResult
}

/** The highest rate at which all messages arrive, and 99 of 100 within 200 ms. @returns a table */
export async function highestRate(): Promise<string> {
	const site = await BenchSite.start()
	const crowd = new Crowd()
	try {
		await crowd.open(await site.addMembers(pairs * 2), site.port)
		await crowd.write({ rate: first, seconds })
		const steps = await search((rate) => measureLoad(site, () => crowd.write({ rate, seconds })))
		return report(steps.sort((one, other) => one.rate - other.rate))
	} finally {
		await crowd.end()
		await site.stop()
	}
}

async function search(measure: (rate: number) => Promise<Load & { value: WriteResult }>): Promise<Step[]> {
	const steps: Step[] = []
	let holds = 0
	let fails = Number.POSITIVE_INFINITY
	for (let rate = first; fails / holds > maxRatio && steps.length < 12; ) {
		const step = { rate, ...(await measure(rate)) }
		steps.push(step)
		process.stdout.write(`${row(step)}\n`)
		if (isGood(step)) holds = rate
		else fails = rate
		rate = Math.round(Number.isFinite(fails) ? (Math.max(holds, first / 4) + fails) / 2 : rate * 1.5)
	}
	return steps
}

function isGood({ value }: Step): boolean {
	return haveAllArrived(value) && quantile(value.delivered, 0.99) < MAX_DELAY_MS
}

function report(steps: Step[]): string {
	const best = steps.filter(isGood).at(-1)
	const members = best ? best.value.processor / seconds : 0
	return `### The highest rate

${grouped(pairs)} pairs, messages at even distances, ${seconds} s for each rate. The highest at which all arrive and 99 of 100 within ${MAX_DELAY_MS} ms: **${grouped(best?.rate ?? 0)}
messages a second**. There the process of the site uses ${percent(best?.server ?? 0)} of a processor, PostgreSQL ${percent(best?.database ?? 0)}, and the members, who are
part of the measurement and share the machine, ${percent(members)}.

| messages/s | delivered p50 ms | p99 ms | longest ms | lost | longest pause ms | statements a message | server | PostgreSQL | members |
|---|---|---|---|---|---|---|---|---|---|
${steps.map(row).join('\n')}
`
}

function row({ rate, value, reading, server, database }: Step): string {
	const { sent, delivered, failed, missing, processor } = value
	const cells = [
		grouped(rate),
		formatQuantile(delivered, 0.5),
		formatQuantile(delivered, 0.99),
		formatQuantile(delivered, 1),
		grouped(failed + missing),
		ms(reading.longestHold),
		(reading.statements / sent).toFixed(1),
		percent(server),
		percent(database),
		percent(processor / seconds),
	]
	return `| ${cells.join(' | ')} |`
}
