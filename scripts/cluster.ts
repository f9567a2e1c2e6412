// `npm run cluster`: the site on three nodes behind nginx, with one PostgreSQL and one Redis, all on this machine.
import '../server/check-settings.ts'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import type { PoolConfig } from 'pg'
import { type Config, config } from '~/config.server.ts'
import { closeDatabase } from '~/platform/db/db.server.ts'
import { shutdownLimits } from '../server/limits.ts'
import { Startup } from '../server/startup.ts'
import { endLeftovers } from './cluster/leftovers.ts'
import { startNginx } from './cluster/nginx.ts'
import { startNode, startRedis } from './cluster/servers.ts'
import { claimPort, freePort } from './support/free-ports.ts'
import { buildWhenOld } from './support/install.mjs'
import { findProgram } from './support/programs.ts'

const nodes = 3

const startup = new Startup()

try {
	// It has no options: a mistyped one must not start it.
	parseArgs()
	startup.obeySignals()
	await start(config())
} catch (error) {
	process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`)
	await startup.end(1)
}

async function start(settings: Config): Promise<void> {
	const programs = { nginx: find('nginx'), redis: settings.REDIS_URL ? '' : find('redis-server') }
	buildWhenOld(process.execPath)
	await startup.takeDataDir(settings)
	const folder = join(settings.dataDir, 'cluster')
	mkdirSync(folder, { recursive: true, mode: 0o700 })
	await endLeftovers(folder)
	await claimPort(settings)
	const connection = await startup.openDatabase({ ...settings, WEB_CONCURRENCY: nodes * settings.WEB_CONCURRENCY })
	await closeDatabase()
	const redisPort = await freePort()
	const ports = await Promise.all(Array.from({ length: nodes }, freePort))
	const redis = settings.REDIS_URL ? null : await startRedis(programs.redis, redisPort, folder)
	if (redis) startup.onEnd(redis.stop)
	const shared = {
		DATA_DIR: settings.dataDir,
		DATABASE_URL: urlOf(connection),
		REDIS_URL: settings.REDIS_URL ?? redis?.url ?? '',
		PUBLIC_URL: settings.publicUrl,
		TRUST_PROXY: '1',
		HOST: '127.0.0.1',
	}
	const running = await Promise.all(ports.map((port) => startNode({ ...shared, PORT: String(port) })))
	startup.onEnd(() => Promise.all(running.map(({ stop }) => stop())), shutdownLimits.processMs + 500)
	const nginx = await startNginx(programs.nginx, folder, settings, ports)
	startup.onEnd(nginx.stop)
	await startup.greet({ ...settings, WEB_CONCURRENCY: 1 }, [
		`Nodes:             ${ports.map((port) => `127.0.0.1:${port}`).join(', ')}, behind nginx (${folder}/nginx.conf)`,
		`Redis:             ${settings.REDIS_URL ? 'the one of REDIS_URL' : `127.0.0.1:${redisPort}`}`,
	])
}

function find(program: string): string {
	const file = findProgram(program)
	if (file) return file
	throw new Error(`The cluster needs ${program}, which is not installed. On Debian: apt-get install nginx redis-server`)
}

/** How a node connects to the database: by the given address, or the socket of the one that was started here. */
function urlOf({ connectionString, host, user, password, database }: PoolConfig): string {
	return (
		connectionString ??
		`postgresql://${user}:${password}@localhost/${database}?host=${encodeURIComponent(String(host))}`
	)
}
