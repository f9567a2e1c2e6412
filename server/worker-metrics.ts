import cluster, { type Worker } from 'node:cluster'

/*
 * A request for /metrics reaches one worker. It asks the parent process, which asks all workers, so that Prometheus gets the
 * metrics of the node.
 */

/** Milliseconds after which missing answers are left out. */
const TIMEOUT_MS = 1_000

/** A metric as `readMetrics` returns it, after its way between processes. */
interface Figure {
	name: string
	type: string
	values: { value: number; labels: object; metricName?: string }[]
}

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

/**
 * Makes the parent process collect the metrics of its workers whenever one of them asks. A worker that does not answer in time, or has
 * ended, counts as it did last: Prometheus takes a sum that falls for a restart, and all that the other workers ever counted for new.
 */
export function gatherMetrics(): void {
	let gathering = 0
	const open = new Map<number, { answered: Set<number>; missing: number; done: () => void }>()
	const latest = new Map<number, Figure[]>()
	let ended: Figure[] = []
	cluster.on('exit', ({ id }) => {
		ended = withCounts(ended, latest.get(id) ?? [])
		latest.delete(id)
	})
	const gather = (asking: Worker, message: Message) => {
		gathering += 1
		const id = gathering
		const workers = Object.values(cluster.workers ?? {}).filter((worker) => worker?.isConnected())
		const answered = new Set<number>()
		const done = () => {
			clearTimeout(timer)
			open.delete(id)
			const figures = [...latest].map(([worker, all]) => (answered.has(worker) ? all : withCounts([], all)))
			const answer: Message = { ...message, step: 'answer', figures: [...figures, ended] }
			if (asking.isConnected()) asking.send(answer, () => {})
		}
		const timer = setTimeout(done, TIMEOUT_MS)
		open.set(id, { answered, missing: workers.length, done })
		for (const worker of workers) worker?.send({ kind: 'metrics', step: 'report', id } satisfies Message, () => {})
	}
	cluster.on('message', (worker: Worker, message: unknown) => {
		if (!isMetrics(message)) return
		if (message.step === 'ask') gather(worker, message)
		if (message.step !== 'report') return
		const round = open.get(message.id)
		const figures = (message.figures ?? []) as Figure[]
		if (figures.length > 0) {
			latest.set(worker.id, figures)
			round?.answered.add(worker.id)
		}
		if (!round) return
		round.missing -= 1
		if (round.missing === 0) round.done()
	})
}

/** The counters and histograms of both, added up. */
function withCounts(sum: Figure[], more: Figure[]): Figure[] {
	const all = new Map(sum.map((figure) => [figure.name, figure]))
	for (const figure of more.filter(({ type }) => type === 'counter' || type === 'histogram')) {
		const keyOf = ({ metricName, labels }: Figure['values'][number]) => JSON.stringify([metricName, labels])
		const values = new Map(all.get(figure.name)?.values.map((one) => [keyOf(one), one]))
		for (const one of figure.values)
			values.set(keyOf(one), { ...one, value: one.value + (values.get(keyOf(one))?.value ?? 0) })
		all.set(figure.name, { ...figure, values: [...values.values()] })
	}
	return [...all.values()]
}

function isMetrics(message: unknown): message is Message {
	return (message as Message | null)?.kind === 'metrics'
}
