import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import type { Config } from '../app/config.server.ts'
import type { Startup } from './startup.ts'

/** The site behind the port: what `server/app.ts` exports, from Vite in development and from the build otherwise. */
type Site = Pick<typeof import('./app.ts'), 'answerKept' | 'handle' | 'startAround' | 'openSockets' | 'seedDemo'>

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/**
 * Serves the site in this process: pages, sockets, jobs. Leaves with `startup` what stops each part.
 * @param openDatabase opens the pool; the site is loaded meanwhile
 * @returns the port, once everything stands
 * @throws Error with one sentence when a part cannot start
 */
export async function serve(startup: Startup, settings: Config, openDatabase: () => Promise<unknown>): Promise<number> {
	const opened = Promise.withResolvers<Answer>()
	// Requests that come while the site is still starting wait for it, so that nobody sees a half-started one.
	const server = createServer((request, response) => {
		void opened.promise.then((answer) => answer(request, response))
	})
	const port = await listen(server, settings)
	startup.onEnd(() => closed(server))
	const [{ site, answer }] = await Promise.all([loadSite(server, startup, settings), openDatabase()])
	if (settings.SEED === 'demo') await site.seedDemo({ onProgress: startup.progress('Adding the demo content') })
	startup.onEnd(await site.startAround())
	site.openSockets(server)
	refuseUnknownUpgrades(server, settings)
	opened.resolve(answer)
	return port
}

async function listen(server: Server, { HOST, PORT }: Config): Promise<number> {
	await new Promise<void>((resolve, reject) => {
		server.once('error', (error: NodeJS.ErrnoException) => {
			if (error.code === 'EADDRINUSE')
				reject(new Error(`Port ${PORT} is taken by another program. Stop that one, or set PORT to another number.`))
			else if (error.code === 'EACCES')
				reject(new Error(`This account may not open port ${PORT}. Set PORT to a number above 1023.`))
			else reject(new Error(`HOST=${HOST} and PORT=${PORT} cannot be opened: ${error.message}.`))
		})
		server.listen(PORT, HOST, resolve)
	})
	return (server.address() as AddressInfo).port
}

async function loadSite(
	server: Server,
	startup: Startup,
	{ NODE_ENV }: Config,
): Promise<{ site: Site; answer: Answer }> {
	if (NODE_ENV !== 'development') {
		const built = new URL('../build/server/index.js', import.meta.url).href
		const site = (await import(built)) as Site
		const pages = listener(async () => site)
		const answer: Answer = (request, response) => {
			if (!site.answerKept(request, response)) pages(request, response)
		}
		return { site, answer }
	}
	const { createServer: createVite } = await import('vite')
	const vite = await createVite({ appType: 'custom', server: { middlewareMode: true, hmr: { server } } })
	startup.onEnd(() => vite.close())
	const load = async () => (await vite.ssrLoadModule('/server/app.ts')) as Site
	const pages = listener(load)
	const site = await load()
	// React Router's plugin ends the process at the first signal, with the database still running.
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

/** Answers under way may finish, for a moment; idle and hanging connections are ended. */
function closed(server: Server): Promise<void> {
	return new Promise((resolve) => {
		server.close(() => resolve())
		server.closeIdleConnections()
		setTimeout(() => server.closeAllConnections(), 1_000).unref()
	})
}
