import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { getRequestListener, type HttpBindings } from '@hono/node-server'
import { type Config, config } from '../app/config.server.ts'
import { Startup } from './startup.ts'

/** The site behind the port: what `server/app.ts` exports, from Vite in development and from the build otherwise. */
type Site = Pick<typeof import('./app.ts'), 'handle' | 'startAround' | 'io' | 'seedDemo'>

const startup = new Startup()

try {
	const settings = config()
	process.on('SIGINT', () => startup.end(0))
	process.on('SIGTERM', () => startup.end(0))
	process.on('disconnect', () => startup.end(0))
	await serve(settings)
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	await startup.end(1)
}

/** Starts in the order of need, and leaves with `startup` what stops each part, in the opposite order. */
async function serve(settings: Config): Promise<void> {
	await startup.takeDataDir(settings)
	const server = createServer()
	const port = await listen(server, settings)
	startup.onEnd(() => closed(server))
	const database = startup.openDatabase(settings)
	const site = await loadSite(server, settings)
	await database
	if (settings.SEED === 'demo') await site.current.seedDemo({ onProgress: startup.progress('Adding the demo content') })
	startup.onEnd(await site.current.startAround())
	site.current.io.attach(server)
	refuseUnknownUpgrades(server, settings)
	site.open()
	await startup.greet({ ...settings, PORT: port })
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

/** Requests that come while the site is still starting wait for it, so that nobody sees a half-started one. */
async function loadSite(server: Server, { NODE_ENV }: Config): Promise<{ current: Site; open: () => void }> {
	let open = () => {}
	const opened = new Promise<void>((resolve) => {
		open = resolve
	})
	if (NODE_ENV !== 'development') {
		const built = new URL('../build/server/index.js', import.meta.url).href
		const current = (await import(built)) as Site
		const answer = listener(async () => current)
		server.on('request', (request, response) => void opened.then(() => answer(request, response)))
		return { current, open }
	}
	const { createServer: createVite } = await import('vite')
	const vite = await createVite({ appType: 'custom', server: { middlewareMode: true, hmr: { server } } })
	startup.onEnd(() => vite.close())
	const load = async () => (await vite.ssrLoadModule('/server/app.ts')) as Site
	const answer = listener(load)
	server.on(
		'request',
		(request, response) => void opened.then(() => vite.middlewares(request, response, () => answer(request, response))),
	)
	return { current: await load(), open }
}

function listener(load: () => Promise<Site>): (request: IncomingMessage, response: ServerResponse) => void {
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
