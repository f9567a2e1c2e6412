import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ClientConfig } from 'pg'
import { freePort } from '../../scripts/support/free-ports.ts'
import { siteCommand } from '../../scripts/support/install.mjs'
import { fillFromTemplate } from './site-template.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

/** Environment variables of every child process. */
export const CHILD_ENV = {
	PATH: process.env.PATH,
	HOME: process.env.HOME,
	// Set by `npm test`: with cached compiled modules, a start of a site needs a third less processor time.
	NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
	// Its job would change what tests compare, and takes seconds of processor time per site.
	SENTENCE_ENCODER: 'false',
}

/** Environment of a site that hashes passwords with the least cost: a journey that enrols members spends twice 20 ms for each. So does the
 * site that makes the template of demo sites. */
export const CHEAP_HASHES = { NODE_OPTIONS: `--import=${new URL('./cheap-hashes.mjs', import.meta.url)}` }

export interface SiteProcess {
	url: string
	child: ChildProcess
	/** Its output so far, both streams. */
	output: () => string
	/** Sends SIGTERM and waits. @returns the exit code */
	stop: () => Promise<number | null>
}

/**
 * Starts the built site as `npm start` does and waits until it is ready. An empty data directory is filled with a copy of one that has
 * started before; tests of a first start use {@link startFirst}.
 * @param folder of the project
 * @param prefix a command to run it with, such as one that enters a namespace
 * @throws Error with its output if it exits before
 */
export async function startSite(
	env: Record<string, string>,
	folder = root,
	prefix: string[] = [],
): Promise<SiteProcess> {
	const isOrdinary = folder === root && prefix.length === 0 && env.NODE_ENV !== 'development'
	if (isOrdinary && !env.DATABASE_URL) await makeDataDir(env.DATA_DIR ?? '', env.SEED)
	return startFirst(env, folder, prefix)
}

/** Prepares a data directory for a second start. @param seed its SEED */
export function makeDataDir(dataDir: string, seed = 'demo'): Promise<void> {
	return fillFromTemplate(dataDir, seed, async (folder) => {
		const site = await startFirst({ DATA_DIR: folder, SEED: seed, ...CHEAP_HASHES })
		await site.stop()
	})
}

/** {@link startSite} on the data directory as it is. */
export async function startFirst(
	env: Record<string, string>,
	folder = root,
	prefix: string[] = [],
): Promise<SiteProcess> {
	const port = env.PORT ?? String(await freePort())
	const site = spawnSite({ ...env, PORT: port }, folder, prefix)
	const ready = new Promise<void>((resolve, reject) => {
		site.child.stdout?.on('data', () => site.output().includes('Press Ctrl-C') && resolve())
		site.child.once('exit', (code) => reject(new Error(`The site ended with ${code}:\n${site.output()}`)))
	})
	await ready
	return { ...site, url: `http://localhost:${port}` }
}

/** Starts the built site, or with NODE_ENV=development the source of `folder`, without waiting. */
export function spawnSite(env: Record<string, string>, folder = root, prefix: string[] = []): Omit<SiteProcess, 'url'> {
	const command = siteCommand(env.NODE_ENV === 'development')
	const [program = '', ...args] = [...prefix, process.execPath, ...command.args]
	const child = spawn(program, args, {
		cwd: folder,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...CHILD_ENV, ...command.env, LOG_LEVEL: 'warn', ...env },
	})
	let written = ''
	for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk) => (written += chunk))
	const stop = async () => {
		if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
		child.kill('SIGTERM')
		const [code] = await once(child, 'exit')
		return code as number | null
	}
	return { child, output: () => written, stop }
}

/** How the site's role, or the superuser, connects to the built-in PostgreSQL of this data directory. */
export function siteDatabase(dataDir: string, role: 'devquad' | 'devquad_admin' = 'devquad'): ClientConfig {
	const file = role === 'devquad' ? 'postgres-password' : 'postgres-admin-password'
	return {
		host: readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[4],
		user: role,
		password: readFileSync(join(dataDir, file), 'utf8').trim(),
		database: 'devquad',
	}
}
