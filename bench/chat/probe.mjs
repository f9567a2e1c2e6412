// Preloaded into the site's process by the bench: reports measurements from inside. Plain JavaScript, as the compiler that Node loads for
// TypeScript would add to the measured memory.
import { createServer } from 'node:net'
import { monitorEventLoopDelay, PerformanceObserver } from 'node:perf_hooks'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { isMainThread } from 'node:worker_threads'
import pg from 'pg'

const path = process.env.BENCH_PROBE
if (path && isMainThread) serve(path)

/** @param {string} at path of the socket that answers `read` and `collect` with a `Reading` (site.ts) */
function serve(at) {
	setFlagsFromString('--expose-gc')
	const collect = runInNewContext('gc')
	const delay = monitorEventLoopDelay({ resolution: 5 })
	delay.enable()
	let statements = 0
	let longestCollection = 0
	let processor = process.cpuUsage()
	new PerformanceObserver((list) => {
		for (const { duration } of list.getEntries()) longestCollection = Math.max(longestCollection, duration)
	}).observe({ entryTypes: ['gc'] })
	const { query } = pg.Client.prototype
	Object.assign(pg.Client.prototype, {
		query(...args) {
			statements += 1
			return query.apply(this, args)
		},
	})
	const read = () => {
		const { rss: resident, heapUsed: heap, external } = process.memoryUsage()
		const { user, system } = process.cpuUsage(processor)
		const reading = {
			resident,
			heap,
			external,
			processor: (user + system) / 1e6,
			longestHold: delay.max / 1e6,
			longestCollection,
			statements,
		}
		processor = process.cpuUsage()
		delay.reset()
		statements = 0
		longestCollection = 0
		return reading
	}
	createServer((socket) => {
		socket.on('error', () => {})
		socket.on('data', (question) => {
			if (question.toString() === 'collect') for (let time = 0; time < 3; time += 1) collect()
			socket.end(JSON.stringify(read()))
		})
	})
		.listen(at)
		.unref()
}
