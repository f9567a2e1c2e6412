import cluster, { type Worker } from 'node:cluster'

/*
 * A request for /metrics reaches one worker. It asks the parent process, which asks all workers, so that Prometheus gets the
 * metrics of the node.
 */

/** Milliseconds after which missing answers are left out. */
const TIMEOUT_MS = 1_000

/** `ask`: from a worker to the parent. `report`: to every worker, and its metrics back. `answer`: all metrics, to the asking worker. */
type Message = { kind: 'metrics'; step: 'ask' | 'report' | 'answer'; id: number; figures?: unknown[] }

let lastId = 0

/** The metrics of all workers of this node; of this process, where it is the only one. @param read reads its own */
export async function metricsOfWorkers(read: () => Promise<unknown[]>): Promise<unknown[][]> {
	if (!cluster.isWorker) return [await read()]
	lastId += 1
	const id = lastId
	const { promise, resolve } = Promise.withResolvers<unknown[][]>()
	const hear = (message: unknown) => {
		if (isMetrics(message) && message.step === 'answer' && message.id === id) resolve(message.figures as unknown[][])
	}
	process.on('message', hear)
	const timer = setTimeout(async () => resolve([await read()]), 2 * TIMEOUT_MS)
	process.send?.({ kind: 'metrics', step: 'ask', id } satisfies Message)
	return promise.finally(() => {
		clearTimeout(timer)
		process.off('message', hear)
	})
}

/** Makes this worker send its metrics when asked. */
export function reportMetrics(read: () => Promise<unknown[]>): void {
	if (!cluster.isWorker) return
	process.on('message', async (message) => {
		if (!isMetrics(message) || message.step !== 'report') return
		const figures = await read().catch(() => [])
		process.send?.({ ...message, figures } satisfies Message)
	})
}

/** Makes the parent process collect the metrics of its workers whenever one of them asks. */
export function gatherMetrics(): void {
	let gathering = 0
	const open = new Map<number, { figures: unknown[]; missing: number; done: () => void }>()
	cluster.on('message', (asking: Worker, message: unknown) => {
		if (!isMetrics(message)) return
		const round = open.get(message.id)
		if (message.step === 'report' && round) {
			round.figures.push(message.figures)
			round.missing -= 1
			if (round.missing === 0) round.done()
		}
		if (message.step !== 'ask') return
		gathering += 1
		const id = gathering
		const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
		const figures: unknown[] = []
		const done = () => {
			clearTimeout(timer)
			open.delete(id)
			if (asking.isConnected()) asking.send({ ...message, step: 'answer', figures } satisfies Message, () => {})
		}
		const timer = setTimeout(done, TIMEOUT_MS)
		open.set(id, { figures, missing: workers.length, done })
		for (const worker of workers) worker?.send({ kind: 'metrics', step: 'report', id } satisfies Message, () => {})
	})
}

function isMetrics(message: unknown): message is Message {
	return (message as Message | null)?.kind === 'metrics'
}
