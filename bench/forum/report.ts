import { cpus, loadavg } from 'node:os'
import type { Figures } from '../measure.ts'
import { saveResult } from '../results.ts'

export interface Measured {
	size: number
	made: { rows: number; seconds: number }
	figures: Map<string, Figures>
}

/** Plans in the report: those of the most expensive journeys. */
const MAX_PLANS = 8
const MAX_LINES = 60

/**
 * Writes the costs of two forums of different sizes into bench/RESULTS.md, and the plans of their slowest pages into bench/PLANS.md.
 * @param source of their words
 * @param sets pages of each kind that were measured
 */
export function report([small, large]: [Measured, Measured], source: string, sets: number): void {
	const lines = [...large.figures].map(([name, at]) => {
		const before = small.figures.get(name)
		const cells = [
			name,
			at.statements,
			ms(before?.p50),
			ms(before?.p99),
			ms(at.p50),
			ms(at.p99),
			ms(before?.work?.p50),
			ms(before?.work?.p99),
			ms(at.work?.p50),
			ms(at.work?.p99),
			at.work && before?.work ? (at.work.p50 / before.work.p50).toFixed(1) : '',
			(before?.rows ?? 0).toFixed(0),
			at.rows.toFixed(0),
			nodesOf(at.plan),
		]
		return `| ${cells.join(' | ')} |`
	})
	const slowest = [...large.figures].toSorted(([, one], [, other]) => other.p99 - one.p99).slice(0, MAX_PLANS)
	const plans = slowest.map(
		([name, { plan }]) => `### ${name}\n\`\`\`\n${plan.split('\n').slice(0, MAX_LINES).join('\n')}\n\`\`\``,
	)
	const over = (is: (at: Figures, before: Figures | undefined) => boolean) =>
		[...large.figures]
			.filter(([name, at]) => is(at, small.figures.get(name)))
			.map(([name, { rows }]) => `${name} (${small.figures.get(name)?.rows.toFixed(0)} rows, ${rows.toFixed(0)} rows)`)
			.join('; ') || 'none'
	const slow = over(({ work }) => (work?.p99 ?? 0) > 50)
	const grown = over((at, before) => (at.work?.p50 ?? 0) > 3 * (before?.work?.p50 ?? 0))
	const sizes = [small, large].map(({ size }) => size.toLocaleString('en')) as [string, string]
	const speed = large.made.rows / large.made.seconds
	const text = `### The forum at ${sizes[0]} and ${sizes[1]} queries, with five times as many comments

\`npm run bench:forum\` on ${cpus().length} cores of a shared virtual machine (load ${loadavg()[0]?.toFixed(1)}), ${new Date().toISOString().slice(0, 10)}: the
statements of a page, run one after another on one connection, round trips included; ${sets} pages of each kind with different
parameters, after as many others to warm up; both sizes of a page within the same minute. Milliseconds. “Work” is the
processor time of the database process, which other load on the machine does not change; “ratio” is of its p50; “rows” are what
a page shows on average, as few matches cost less. “Scans” are the indexes that the most expensive statement of the slowest page
read. Texts: ${source}.

| page | statements | p50 small | p99 small | p50 large | p99 large | work p50 small | work p99 small | work p50 large | work p99 large | ratio of work | rows small | rows large | scans |
|---|---|---|---|---|---|---|---|---|---|---|---|---|---|
${lines.join('\n')}

Over 50 ms of work at p99: ${slow}.
Over three times the work of the small forum: ${grown}.
The large forum was created in ${large.made.seconds.toFixed(0)} s: ${Math.round(speed).toLocaleString('en')} rows a second. The plans of the
most expensive statements are in [PLANS.md](PLANS.md).
`
	saveResult('forum', text)
	const plansText = `## The forum at ${sizes[1]} queries

The most expensive statement of each of the slowest pages, as its plan.

${plans.join('\n\n')}
`
	saveResult('forum', plansText, 'PLANS.md')
}

/** The distinct indexes and tables in a plan. */
function nodesOf(plan: string): string {
	const found = plan.matchAll(/(?:Bitmap Index Scan on|Index (?:Only )?Scan(?: Backward)? using|(Seq Scan) on) (\w+)/g)
	return [...new Set([...found].map(([, seq, name]) => (seq ? `all of ${name}` : `${name}`)))].join(', ')
}

function ms(value = 0): string {
	return value.toFixed(1)
}
