import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { Config } from '../app/config.server.ts'
import { Connections } from './connections.ts'
import { connectionLimits, shutdownLimits } from './limits.ts'
import { listen } from './listen.ts'
import type { Startup } from './startup.ts'

/** The exports of `server/app.ts`, from Vite in development and from the build otherwise. */
type Site = Pick<
	typeof import('./app.ts'),
	| 'answerFromCache'
	| 'beginDraining'
	| 'handle'
	| 'instrumentServer'
	| 'openSockets'
	| 'seedSite'
	| 'disconnectTabs'
	| 'startServices'
>

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Serves the site in this process: pages, sockets, jobs. Registers with `startup` how to stop each part.
 * @param openDatabase opens the pool; the site is loaded meanwhile
 * @param listensFirst whether the port is opened first, so that a taken one is noticed before anything is created, and early
 * requests wait. Where other processes serve on the port, they answer those better
 * @returns the port, once everything runs
 * @throws Error with one sentence when a part cannot start
 */
export async function serve(
	startup: Startup,
	settings: Config,
	openDatabase: () => Promise<unknown>,
	{ listensFirst } = { listensFirst: true },
): Promise<number> {
	const opened = Promise.withResolvers<Answer>()
	/** Requests wait for this. */
	let gate = opened.promise
	const server = createServer({ connectionsCheckingInterval: connectionLimits.checkEveryMs }, (request, response) => {
		const turn = Promise.all([gate, oneAtATime(request, response)])
		void turn.then(([answer]) => request.socket.destroyed || answer(request, response))
	})
	const connections = new Connections(server, { behindProxy: settings.TRUST_PROXY })
	startup.onEnd(() => connections.end())
	const early = listensFirst ? await open(server, startup, settings) : undefined
	const [{ site, answer }] = await Promise.all([loadSite(server, startup, settings), openDatabase()])
	if (settings.SEED === 'demo') await site.seedSite({ onProgress: startup.progress('Adding the demo content') })
	startup.onEnd(await site.startServices(), shutdownLimits.partMs)
	site.openSockets(server)
	await site.instrumentServer(server)
	refuseUnknownUpgrades(server, settings)
	// Clients may wait while the site starts, or while Vite compiles.
	if (settings.NODE_ENV !== 'development') server.timeout = connectionLimits.stalledReaderMs
	opened.resolve(answer)
	const { port, close } = early ?? (await open(server, startup, settings))
	startup.onEnd(async () => {
		site.beginDraining()
		// Accepts pending connections before the port is closed. That is quick while nothing is answered.
		const closed = Promise.withResolvers<Answer>()
		gate = closed.promise
		await close()
		closed.resolve(answer)
		await Promise.all([connections.drain(startup.drainMs), site.disconnectTabs()])
	}, shutdownLimits.drainMs + 500)
	return port
}

/**
 * Answers the requests of one connection one after the other. Otherwise a client that pipelines many, and perhaps reads no
 * response, would have all of them processed while everybody else waits.
 */
function oneAtATime(request: IncomingMessage, response: ServerResponse): Promise<unknown> | undefined {
	const before = answered.get(request.socket)
	answered.set(request.socket, new Promise((resolve) => response.once('close', resolve)))
	return before
}

/** For each connection, the end of its latest response. */
const answered = new WeakMap<Socket, Promise<unknown>>()

async function open(server: Server, startup: Startup, settings: Config) {
	const listening = await listen(server, settings)
	startup.onEnd(listening.close)
	return listening
}

async function loadSite(
	server: Server,
	startup: Startup,
	{ NODE_ENV }: Config,
): Promise<{ site: Site; answer: Answer }> {
	if (NODE_ENV !== 'development') {
		const site: Site = await import('./app.ts')
		const pages = listener(async () => site)
		const answer: Answer = (request, response) => {
			if (!site.answerFromCache(request, response)) pages(request, response)
		}
		return { site, answer }
	}
	const { createServer: createVite } = await import('vite')
	const vite = await createVite({ appType: 'custom', server: { middlewareMode: true, hmr: { server } } })
	startup.onEnd(() => vite.close())
	const load = async () => (await vite.ssrLoadModule('/server/app.ts')) as Site
	const pages = listener(load)
	const site = await load()
	// React Router's plugin exits the process at the first signal, with the database still running.
	startup.obeySignals()
	return {
		site,
		answer: (request, response) => vite.middlewares(request, response, () => pages(request, response)),
	}
}

function listener(load: () => Promise<Site>): Answer {
	return getRequestListener(async (request, env) => (await load()).handle(request, env as HttpBindings), {
		overrideGlobalObjects: false,
	})
}

/** A WebSocket that is neither ours nor Vite's would stay open without an owner. */
function refuseUnknownUpgrades(server: Server, { NODE_ENV }: Config): void {
	if (NODE_ENV === 'development') return
	server.on('upgrade', (request, socket) => {
		if (!request.url?.startsWith('/realtime')) socket.destroy()
	})
}
