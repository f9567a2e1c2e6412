import { setTimeout as sleep } from 'node:timers/promises'
import { Crowd } from './crowd.ts'
import { formatQuantile, grouped, measureLoad, ms, percent } from './figures.ts'
import { BenchSite } from './site.ts'

const others = 50
const seconds = 15
/** The delay before the first reconnect in milliseconds: of the product's client, and the worst case. */
const returns: [string, [number, number]][] = [
	['after 0.5 to 1.5 s, as browsers come back', [500, 1_500]],
	['all at the same moment', [0, 0]],
]

/** Cuts this many tabs at once and lets them reconnect, while others keep writing. @returns a table */
export async function measureReconnects(count: number): Promise<string> {
	const site = await BenchSite.start()
	const [crowd, talking] = [new Crowd(), new Crowd()]
	try {
		await crowd.open(await site.addMembers(count), site.port)
		await talking.open(await site.addMembers(others * 2), site.port, '127.0.0.9')
		// Messages to catch up on.
		await crowd.write({ rate: 300, seconds: Math.ceil(count / 300) })
		const rows: string[] = []
		for (const [name, after] of returns) rows.push(await measure(site, { crowd, talking, name, after }))
		return `### ${grouped(count)} tabs are cut off and come back

Each connects and asks for what it missed by a request of its own. Meanwhile ${others} other pairs send one message a second each,
for ${seconds} s.

| they come back | all connected after s | all caught up after s | failed tries | longest pause ms | statements a tab | server | PostgreSQL | others’ messages p50 ms | p99 ms | longest ms | lost |
|---|---|---|---|---|---|---|---|---|---|---|---|
${rows.join('\n')}
`
		async function measure(
			where: BenchSite,
			{ crowd, talking, name, after }: { crowd: Crowd; talking: Crowd; name: string; after: [number, number] },
		): Promise<string> {
			const { value, reading, server, database } = await measureLoad(where, async () => {
				const talk = talking.write({ rate: others, seconds })
				await sleep(1_000)
				const returned = await crowd.cut(after)
				return { returned, talk: await talk }
			})
			const { returned, talk } = value
			const cells = [
				name,
				(returned.connected / 1_000).toFixed(1),
				(returned.caughtUp / 1_000).toFixed(1),
				grouped(returned.repeated),
				ms(reading.longestHold),
				ms(reading.statements / count),
				percent(server),
				percent(database),
				formatQuantile(talk.delivered, 0.5),
				formatQuantile(talk.delivered, 0.99),
				formatQuantile(talk.delivered, 1),
				grouped(talk.failed + talk.missing),
			]
			return `| ${cells.join(' | ')} |`
		}
	} finally {
		await Promise.all([crowd, talking].map((each) => each.end()))
		await site.stop()
	}
}
