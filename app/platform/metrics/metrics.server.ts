import { setTimeout as sleep } from 'node:timers/promises'
import type { Registry } from 'prom-client'
import { config } from '~/config.server.ts'
import { remember } from '~/lib/remember.ts'

/*
 * Metrics for Prometheus. A module defines its metrics at the top, beside what they count; they cost nothing on a site without
 * METRICS_TOKEN. Labels must not hold what members or visitors wrote, or who they are: each has few values, known to the code.
 */

/** Milliseconds for reading a gauge. A process has a second for all of its metrics: see server/worker-metrics.ts. */
const READING_MS = 500

/** How the values of several processes are combined. */
type Together = 'sum' | 'max' | 'min' | 'first'
type Labels = Readonly<Record<string, string>>
/** One value, or several with labels. */
type Reading = number | readonly (readonly [Labels, number])[]

interface Definition {
	name: string
	/** What is counted, and in which unit, as a sentence for readers of /metrics. */
	help: string
	labels: readonly string[]
	/** Registers the metric. @returns records into it */
	make: (client: typeof import('prom-client'), registers: Registry[]) => (labels: Labels, value: number) => void
}

interface State {
	definitions: Map<string, Definition>
	recorders: Map<string, (labels: Labels, value: number) => void>
	/** Set by {@link startMetrics}. */
	open?: { client: typeof import('prom-client'); registry: Registry }
}

const state = remember<State>('metrics', () => ({ definitions: new Map(), recorders: new Map() }))

function define(definition: Definition): (labels: Labels, value: number) => void {
	state.definitions.set(definition.name, definition)
	if (state.open) record(definition)
	return (labels, value) => state.recorders.get(definition.name)?.(labels, value)
}

function record(definition: Definition): void {
	if (!state.open) return
	const { client, registry } = state.open
	registry.removeSingleMetric(definition.name)
	state.recorders.set(definition.name, definition.make(client, [registry]))
}

/** A counter of events since the start of the process. @returns increments it */
export function counter(name: `devquad_${string}_total`, help: string, labels: readonly string[] = []) {
	const add = define({
		name,
		help,
		labels,
		make: ({ Counter }, registers) => {
			const made = new Counter({ name, help, labelNames: labels, registers })
			return (values, by) => made.inc(values, by)
		},
	})
	return (values: Labels = {}, by = 1): void => add(values, by)
}

/** A histogram of durations. @param buckets upper bounds in seconds @returns records a duration in seconds */
export function histogram(
	name: `devquad_${string}_seconds`,
	help: string,
	buckets: readonly number[],
	labels: readonly string[] = [],
) {
	const observe = define({
		name,
		help,
		labels,
		make: ({ Histogram }, registers) => {
			const made = new Histogram({ name, help, labelNames: labels, buckets: [...buckets], registers })
			return (values, seconds) => made.observe(values, seconds)
		},
	})
	return (seconds: number, values: Labels = {}): void => observe(values, seconds)
}

/**
 * A gauge, read when Prometheus asks; a reading that fails, or takes more than half a second, is left out of the response.
 * @param together how the values of several processes are combined
 */
export function gauge(
	name: `devquad_${string}`,
	help: string,
	read: () => Reading | Promise<Reading>,
	{ labels = [], together = 'sum' }: { labels?: readonly string[]; together?: Together } = {},
): void {
	define({
		name,
		help,
		labels,
		make: ({ Gauge }, registers) => {
			const collect = async () => {
				const reading = await readInTime(read)
				made.reset()
				// Without labels, the line above leaves a 0: a site without a backup would seem to have made one just now.
				made.remove({})
				for (const [values, value] of typeof reading === 'number' ? [[{}, reading] as const] : reading)
					made.set(values, value)
			}
			const made = new Gauge({ name, help, labelNames: labels, registers, aggregator: together, collect })
			return () => {}
		},
	})
}

/** A busy database must not hold up what tells that it is busy. */
function readInTime(read: () => Reading | Promise<Reading>): Promise<Reading> {
	const reading = (async () => read())().catch(() => [])
	return Promise.race([reading, sleep<Reading>(READING_MS, [], { ref: false })])
}

/** Whether METRICS_TOKEN is set; nothing is recorded without it. */
export function areMetricsOn(): boolean {
	return config().METRICS_TOKEN !== undefined
}

/** Starts recording if METRICS_TOKEN is set: the metrics defined here, and Node's own of the process. */
export async function startMetrics(): Promise<void> {
	if (!areMetricsOn() || state.open) return
	const client = await import('prom-client')
	const registry = new client.Registry()
	state.open = { client, registry }
	client.collectDefaultMetrics({ register: registry })
	// A mean of the event loops of all processes hides the one that is stuck.
	// Times of starting are left out unless told otherwise; of several processes the newest start shows that one has just ended.
	const aggregators: Record<string, Together> = { average: 'max', omit: 'max' }
	for (const metric of registry.getMetricsAsArray())
		metric.aggregator = aggregators[metric.aggregator ?? ''] ?? metric.aggregator
	for (const definition of state.definitions.values()) record(definition)
}

/** The metrics of this process, in a form that can be sent to another one. */
export async function readMetrics(): Promise<unknown[]> {
	return (await state.open?.registry.getMetricsAsJSON()) ?? []
}

/** The metrics of one or several processes in Prometheus's format. @param processes results of {@link readMetrics} */
export async function formatMetrics(processes: unknown[][]): Promise<{ text: string; type: string }> {
	if (!state.open) return { text: '', type: 'text/plain' }
	const together = state.open.client.AggregatorRegistry.aggregate(processes as object[][] as object[])
	return { text: await together.metrics(), type: together.contentType }
}
