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

/** The environment of each process that the tests start: what it has of theirs, and a setting. */
export const PASSED_ON = {
	PATH: process.env.PATH,
	HOME: process.env.HOME,
	// Set by `npm test`: a site starts in two thirds of the processor's time where its modules are compiled already.
	NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
	// Its job would write beside what a test compares, for seconds of the processor's time at each site.
	SENTENCE_ENCODER: 'false',
}

export interface SiteProcess {
	url: string
	child: ChildProcess
	/** Everything it wrote so far, both streams. */
	output: () => string
	/** Sends SIGTERM and waits. @returns the exit code */
	stop: () => Promise<number | null>
}

/**
 * Starts the built site as `npm start` does and waits until it says that it is ready. A data directory that is empty becomes a copy of
 * one on which the build has started before; whoever tests a first start uses {@link startFirst}.
 * @param folder where the project lies
 * @param prefix what to put before its command, such as one that enters a namespace and becomes it
 * @throws Error with its output when it ends before that
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

/** A data directory for a site that starts for the second time. @param seed its SEED */
export function makeDataDir(dataDir: string, seed = 'demo'): Promise<void> {
	return fillFromTemplate(dataDir, seed, async (folder) => {
		const site = await startFirst({ DATA_DIR: folder, SEED: seed })
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

/** Starts the built site, or with NODE_ENV=development the source of `folder`, and does not wait. */
export function spawnSite(env: Record<string, string>, folder = root, prefix: string[] = []): Omit<SiteProcess, 'url'> {
	const command = siteCommand(env.NODE_ENV === 'development')
	const [program = '', ...args] = [...prefix, process.execPath, ...command.args]
	const child = spawn(program, args, {
		cwd: folder,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: { ...PASSED_ON, ...command.env, LOG_LEVEL: 'warn', ...env },
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

/** How the role of the site, or the superuser, reaches the built-in PostgreSQL of a site that runs on this data directory. */
export function siteDatabase(dataDir: string, role: 'devquad' | 'devquad_admin' = 'devquad'): ClientConfig {
	const file = role === 'devquad' ? 'postgres-password' : 'postgres-admin-password'
	return {
		host: readFileSync(join(dataDir, 'postgres', 'postmaster.pid'), 'utf8').split('\n')[4],
		user: role,
		password: readFileSync(join(dataDir, file), 'utf8').trim(),
		database: 'devquad',
	}
}
