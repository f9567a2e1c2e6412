import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { descendants, startCluster, stillRunning } from '../support/cluster.ts'
import { startSite } from '../support/site-process.ts'
import { HURRIED_MS, type LoadFigures, type LoadOptions, startLoad } from './load.ts'

/* Orderly stops under load: sends SIGTERM to each serving process, and counts failed requests. */

/** Milliseconds of load before the first and after the last stop of a round. */
const aroundMs = 300
/** Milliseconds until another process must replace a stopped one. */
const replacedWithinMs = 60_000

/** Workers on one port, stopped one by one. @returns the results of each round; no request may fail or be refused */
export async function stopEachWorker(rounds = 3, count = 4): Promise<LoadFigures[]> {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-stop-'))
	const site = await startSite({ DATA_DIR: dataDir, SEED: 'none', WEB_CONCURRENCY: String(count) })
	const leader = site.child.pid ?? 0
	const workers = () => serving(leader).filter((pid) => pid !== leader)
	try {
		return await stopInTurn(rounds, site.url, workers, [site.url])
	} finally {
		await site.stop()
		rmSync(dataDir, { recursive: true, force: true })
	}
}

/** Three nodes behind nginx, stopped one by one. @returns as {@link stopEachWorker} */
export async function stopEachNode(rounds = 3): Promise<LoadFigures[]> {
	const cluster = await startCluster({})
	try {
		return await stopInTurn(rounds, cluster.url, () => serving(cluster.pid), cluster.nodes)
	} finally {
		await cluster.stop()
	}
}

/**
 * A site of one process, stopped and started again. Nobody serves meanwhile, so that requests are refused; none that reached the
 * site may fail.
 * @param env settings beyond those that it needs
 */
export async function stopTheProcess(rounds = 3, env: Record<string, string> = {}): Promise<LoadFigures[]> {
	const dataDir = mkdtempSync(join(tmpdir(), 'devquad-stop-'))
	const figures: LoadFigures[] = []
	for (let round = 0; round < rounds; round += 1) {
		const site = await startSite({ DATA_DIR: dataDir, SEED: 'none', ...env })
		const load = startLoad([site.url])
		await sleep(aroundMs)
		await site.stop()
		figures.push(await load.stop())
	}
	rmSync(dataDir, { recursive: true, force: true })
	return figures
}

/**
 * Stops one process after the other under load, each when another one serves in the place of the last.
 * @param pids of the processes that serve
 * @param nodes addresses at which each must answer before the next one is stopped
 * @param startMs the longest think time of the load while a process starts; each stops under full load
 */
export async function stopInTurn(
	rounds: number,
	url: string,
	pids: () => number[],
	nodes: string[],
	options?: LoadOptions,
	startMs = HURRIED_MS,
): Promise<LoadFigures[]> {
	const figures: LoadFigures[] = []
	const count = pids().length
	for (let round = 0; round < rounds; round += 1) {
		const load = startLoad([url], options)
		await sleep(aroundMs)
		for (const pid of pids()) {
			load.maxThinkMs = HURRIED_MS
			await sleep(startMs)
			process.kill(pid, 'SIGTERM')
			await until(() => stillRunning([pid]).length === 0)
			load.maxThinkMs = startMs
			await until(() => pids().length === count)
			for (const node of nodes) await until(() => isReady(node))
		}
		await sleep(aroundMs)
		figures.push(await load.stop())
	}
	return figures
}

async function isReady(url: string): Promise<boolean> {
	try {
		const answer = await fetch(`${url}/readyz`, { signal: AbortSignal.timeout(2_000) })
		return answer.ok
	} catch {
		return false
	}
}

/** The serving processes of a cluster or a site. */
export function serving(leader: number): number[] {
	return descendants(leader)
		.filter(({ command }) => command.includes('server/main.js'))
		.map(({ pid }) => pid)
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
	for (const end = Date.now() + replacedWithinMs; !(await check()); await sleep(100))
		if (Date.now() > end) throw new Error('Nobody took the place of a process that was stopped.')
}
