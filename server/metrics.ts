import { createHash, timingSafeEqual } from 'node:crypto'
import { statfs } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { MiddlewareHandler } from 'hono'
import { config } from '~/config.server.ts'
import { version } from '~/lib/version.ts'
import { pageCache } from '~/platform/cache/pages.server.ts'
import { connectionsOfPools, isDatabaseUnavailable } from '~/platform/db/db.server.ts'
import { countJobs } from '~/platform/jobs/jobs.server.ts'
import {
	areMetricsOn,
	counter,
	formatMetrics,
	gauge,
	histogram,
	readMetrics,
	startMetrics,
} from '~/platform/metrics/metrics.server.ts'
import { io } from '~/platform/realtime/io.server.ts'
import { metricsOfWorkers } from './worker-metrics.ts'

/* Metrics of the process, and the endpoint for Prometheus. Features define their own metrics where they count. */

const secondsOfRequests = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

const requestSeconds = histogram(
	'devquad_http_request_duration_seconds',
	'Seconds from a request to the end of its answer, by the pattern of its route.',
	secondsOfRequests,
	['method', 'route'],
)
const countRequest = counter('devquad_http_requests_total', 'Requests, by route and the status of the answer.', [
	'method',
	'route',
	'status',
])

gauge(
	'devquad_build_info',
	'Always 1; version and commit of the site.',
	() => [[{ version: version.number, commit: version.commit ?? '' }, 1]],
	{ labels: ['version', 'commit'], together: 'first' },
)
gauge('devquad_processes', 'Processes of this node that answered.', () => 1)
gauge('devquad_sockets', 'Open tabs of members.', () => io.sockets.sockets.size)
gauge(
	'devquad_database_up',
	'1 while the database answers, 0 while it does not.',
	() => (isDatabaseUnavailable() ? 0 : 1),
	{
		together: 'min',
	},
)
gauge(
	'devquad_database_connections',
	'Connections to the database, and requests that wait for one.',
	connectionsOfPools,
	{
		labels: ['pool', 'state'],
	},
)
gauge('devquad_jobs', 'Jobs of the whole site: ready, waiting for their time, running, or given up.', countJobs, {
	labels: ['state'],
	together: 'max',
})
gauge('devquad_page_cache_bytes', 'Bytes of cached pages for visitors.', () => pageCache.bytes)
gauge('devquad_page_cache_pages', 'Cached pages for visitors.', () => pageCache.size)
gauge(
	'devquad_disk_free_bytes',
	'Bytes that can still be written on the disk of DATA_DIR.',
	async () => {
		const { bavail, bsize } = await statfs(config().dataDir)
		return bavail * bsize
	},
	{ together: 'min' },
)

/** Measures all requests of this server from now on. @param routeOf returns the route pattern of an address */
export async function measureRequests(server: Server, routeOf: (url: string) => string): Promise<void> {
	if (!areMetricsOn()) return
	await startMetrics()
	server.prependListener('request', ({ method = '', url = '' }, response) => {
		const began = performance.now()
		response.once('close', () => {
			const labels = { method: methods.has(method) ? method : 'other', route: routeOf(url) }
			requestSeconds((performance.now() - began) / 1_000, labels)
			countRequest({ ...labels, status: String(response.statusCode) })
		})
	})
}

/**
 * Serves /metrics to clients with METRICS_TOKEN; without that setting there is no such page. It checks a token rather than the
 * client's address, as behind a proxy all addresses are the same.
 */
export function metricsPage(): MiddlewareHandler {
	return async (context, next) => {
		const { METRICS_TOKEN } = config()
		if (METRICS_TOKEN === undefined) return next()
		const given = context.req.header('Authorization') ?? ''
		if (!timingSafeEqual(digest(given), digest(`Bearer ${METRICS_TOKEN}`)))
			return context.text('This needs the header Authorization: Bearer, with the token of METRICS_TOKEN.', 401, {
				'WWW-Authenticate': 'Bearer',
			})
		const { text, type } = await formatMetrics(await metricsOfWorkers(readMetrics))
		return context.text(text, 200, { 'Content-Type': type, 'Cache-Control': 'no-store' })
	}
}

function digest(text: string): Buffer {
	return createHash('sha256').update(text).digest()
}
