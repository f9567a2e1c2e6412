import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { keepReconnecting, type LiveSocket } from '~/platform/realtime/live.ts'
import { WatchedPresence } from '~/platform/realtime/use-presence.ts'
import { ChatRun, isLongRun, seed } from '../support/chat-run.ts'
import { descendants, hasServers, type RunningCluster, startCluster } from '../support/cluster.ts'
import { useDatabase } from '../support/database.ts'
import { logInMember, requestPage, testDatabaseUrl } from '../support/members-site.ts'
import { startRedis, type TestRedis } from '../support/redis.ts'
import { closeTabs, nextEvent, openTab, startTab } from '../support/tabs.ts'

/* Three nodes behind nginx: Redis stops and restarts, and nodes are killed, while members write. */

useDatabase()

const rounds = isLongRun ? 3 : 2
/** Per member and round, more than an idle machine can do. */
const maxActs = 5

/** Stops the lasting tabs after the test. */
const ends: (() => void)[] = []

afterEach(() => {
	for (const end of ends.splice(0)) end()
	closeTabs()
})

describe.skipIf(!hasServers)('three nodes behind nginx (needs nginx and redis-server)', () => {
	let redis: TestRedis
	let cluster: RunningCluster

	beforeAll(async () => {
		redis = await startRedis()
		cluster = await startCluster({
			DATABASE_URL: await testDatabaseUrl(),
			REDIS_URL: redis.url,
			AUTH_SECRET: 'a secret that only these tests know of',
		})
	})

	afterAll(async () => {
		await cluster?.stop()
		await redis?.stop()
	})

	/** Kills a node with SIGKILL; it is restarted. */
	function killNode(chance: number): void {
		const nodes = descendants(cluster.pid).filter(({ command }) => command.includes('server/main.js'))
		const node = nodes[Math.floor(chance * nodes.length)]
		if (node) process.kill(node.pid, 'SIGKILL')
	}

	test(`Redis stops and a node is killed, ${rounds} times each while members write: the history holds, and presence within 60 s (CHAT_HISTORY_SEED=${seed})`, async () => {
		const site = {
			ask: (path: string, cookie: string, form?: Record<string, string>) =>
				requestPage(cluster.url, path, cookie, form),
		}
		const [watcher, leaver, comer] = [
			await logInMember(site, 'watcher'),
			await logInMember(site, 'leaver'),
			await logInMember(site, 'comer'),
		]
		const run = new ChatRun()
		await run.meet(site, 4, () => cluster.url)
		const online = await Promise.all(cluster.nodes.map((node) => watching(node, watcher.cookie, ['leaver', 'comer'])))
		const leaving = await openTab(cluster.url, leaver.cookie)
		await expect.poll(() => online.map((who) => who())).toEqual(cluster.nodes.map(() => ['leaver']))
		run.begin(maxActs)
		for (let round = 0; round < rounds; round += 1) {
			await sleep(1_000 + run.random() * 1_000)
			killNode(run.random())
			await sleep(1_000 + run.random() * 2_000)
			await redis.stop()
			await sleep(1_000 + run.random() * 2_000)
			// While Redis is down, nodes cannot notify each other.
			if (round === 0) leaving.disconnect()
			if (round === 0) await openLastingTab(cluster.url, comer.cookie)
			await redis.start()
			run.allowActs(maxActs)
		}
		await expect.poll(() => online.map((who) => who()), { timeout: 60_000 }).toEqual(cluster.nodes.map(() => ['comer']))
		run.end()
		await run.judge(33 * rounds)
	})
})

/** A tab that shows the presence of these members, as the product's does. @returns a function with those online at present */
async function watching(url: string, cookie: string, names: string[]): Promise<() => string[]> {
	const tab = await openLastingTab(url, cookie)
	const watched = new WatchedPresence()
	watched.show(names, () => {})
	watched.listen(tab)
	return () => names.filter((name) => watched.isOnline(name))
}

/** A tab that always reconnects, as a page does: one that a busy node refused would otherwise stay away. */
async function openLastingTab(url: string, cookie: string): Promise<LiveSocket> {
	const tab: LiveSocket = startTab(url, { Cookie: cookie })
	ends.push(keepReconnecting(tab))
	await nextEvent(tab, 'connect')
	return tab
}
