import { setTimeout as sleep } from 'node:timers/promises'
import { Crowd } from './crowd.ts'
import { formatQuantile, grouped, kilobytes, measureLoad, megabytes, ms, percent } from './figures.ts'
import { BenchSite } from './site.ts'

/** A process could have 20,000 open files where this was measured; each tab is one here and one in the server. */
const crowds = 2
const idleSeconds = 20
const writers = 100
const writeSeconds = 15

/** The cost of an open tab, in a process that holds many. @returns a table */
export async function manySockets(count: number): Promise<string> {
	const site = await BenchSite.start()
	const all = Array.from({ length: crowds }, () => new Crowd())
	const talking = new Crowd()
	try {
		const members = await site.addMembers(count - writers)
		const others = await site.addMembers(writers)
		// Warms up: code and buffers of the first tabs are not a cost per tab.
		await talking.open(others, site.port, '127.0.0.9')
		await talking.write({ rate: writers / 2, seconds: 5 })
		const before = await site.read({ collect: true })
		const each = Math.ceil(members.length / crowds)
		const opening = await measureLoad(site, () =>
			Promise.all(
				all.map((crowd, index) =>
					crowd.open(members.slice(index * each, (index + 1) * each), site.port, `127.0.0.${2 + index}`),
				),
			),
		)
		const openSeconds = Math.max(...opening.value.map(({ milliseconds }) => milliseconds)) / 1_000
		await sleep(5_000)
		const idle = await measureLoad(site, () => sleep(idleSeconds * 1_000))
		const after = await site.read({ collect: true })
		const talk = await measureLoad(site, () => talking.write({ rate: writers / 2, seconds: writeSeconds }))
		const perTab = (what: 'resident' | 'heap' | 'external') => kilobytes((after[what] - before[what]) / members.length)
		return `### ${grouped(count)} open tabs on one process

All connected in ${openSeconds.toFixed(1)} s (${grouped(members.length / openSeconds)} a second, ${ms(opening.reading.statements / members.length)} statements each), with the members’ processes on the same machine.

| | |
|---|---|
| resident memory before, and with all tabs | ${megabytes(before.resident)} MB, ${megabytes(after.resident)} MB |
| resident memory for a tab | ${perTab('resident')} KB |
| of it in the heap of JavaScript, and outside | ${perTab('heap')} KB, ${perTab('external')} KB |
| processor while nobody says anything: server, PostgreSQL | ${percent(idle.server)}, ${percent(idle.database)} of one |
| longest pause meanwhile | ${ms(idle.reading.longestHold)} ms |
| ${writers / 2} pairs among them, one message a second each: delivered p50, p99, longest | ${formatQuantile(talk.value.delivered, 0.5)} ms, ${formatQuantile(talk.value.delivered, 0.99)} ms, ${formatQuantile(talk.value.delivered, 1)} ms |
| lost | ${grouped(talk.value.failed + talk.value.missing)} |

Memory is read after the garbage was collected; the rest of it is what the operating system holds for the process.
`
	} finally {
		await Promise.all([...all, talking].map((crowd) => crowd.end()))
		await site.stop()
	}
}
