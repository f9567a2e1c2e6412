import { beforeAll, expect, test, vi } from 'vitest'
import { formatMetrics, gauge, readMetrics, startMetrics } from './metrics.server.ts'

beforeAll(async () => {
	vi.stubEnv('METRICS_TOKEN', 'a token that Prometheus knows')
	await startMetrics()
})

test('a gauge that cannot be read, or not in time, is left out without holding up the others', async () => {
	gauge('devquad_waiting', 'Read from a database that is too busy.', () => new Promise(() => {}))
	gauge('devquad_failing', 'Cannot be read.', () => {
		throw new Error('There is no such disk.')
	})
	gauge('devquad_known', 'Can be read.', () => 7)
	const { text } = await formatMetrics([await readMetrics()])
	expect(text).toMatch(/^devquad_known 7$/m)
	expect(text).not.toMatch(/^devquad_(waiting|failing)[ {]/m)
})

test('the delay of the event loop is that of the most delayed process', async () => {
	const own = (await readMetrics()) as { name: string; values: { value: number }[] }[]
	const delayed = (value: number) =>
		own.map((metric) =>
			metric.name === 'nodejs_eventloop_lag_p99_seconds' ? { ...metric, values: [{ value, labels: {} }] } : metric,
		)
	const { text } = await formatMetrics([delayed(0.25), delayed(2), delayed(0.5)])
	expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds 2$/m)
})
