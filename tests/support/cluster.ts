import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { codeOf } from '../../app/lib/system-errors.ts'
import { freePort } from '../../scripts/support/free-ports.ts'
import { findProgram } from '../../scripts/support/programs.ts'
import { CHILD_ENV, makeDataDir } from './site-process.ts'

/** Whether the programs for `npm run cluster` are installed. */
export const hasServers = findProgram('nginx') !== null && findProgram('redis-server') !== null

export interface RunningCluster {
	/** The address of nginx. */
	url: string
	/** The addresses of its nodes. */
	nodes: string[]
	pid: number
	output: () => string
	/** Kills the script, as a crash would; its data directory remains. */
	kill: () => Promise<void>
	/** Sends SIGTERM and waits. @returns the exit code */
	stop: () => Promise<number | null>
}

/** Runs `npm run cluster` and waits until it is ready. @param folder of the project @throws Error with its output if it exits before */
export async function startCluster(
	env: Record<string, string>,
	folder = fileURLToPath(new URL('../..', import.meta.url)),
): Promise<RunningCluster> {
	const port = env.PORT ?? String(await freePort())
	const dataDir = env.DATA_DIR ?? mkdtempSync(join(tmpdir(), 'devquad-cluster-'))
	if (!env.DATA_DIR && !env.DATABASE_URL) await makeDataDir(dataDir, env.SEED ?? 'none')
	const child = spawn(process.execPath, ['--import', './scripts/support/alias.mjs', 'scripts/cluster.ts'], {
		cwd: folder,
		stdio: ['ignore', 'pipe', 'pipe'],
		env: {
			...CHILD_ENV,
			NODE_ENV: 'production',
			LOG_LEVEL: 'warn',
			SEED: 'none',
			PORT: port,
			DATA_DIR: dataDir,
			...env,
		},
	})
	let written = ''
	for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (written += chunk))
	await new Promise<void>((resolve, reject) => {
		child.stdout.on('data', () => written.includes('Press Ctrl-C') && resolve())
		child.once('exit', (code) => reject(new Error(`The cluster ended with ${code}:\n${written}`)))
	})
	const nodes = /^Nodes: +(.*), behind/m.exec(written)?.[1]?.split(', ') ?? []
	return {
		url: `http://localhost:${port}`,
		nodes: nodes.map((address) => `http://${address}`),
		pid: child.pid ?? 0,
		output: () => written,
		kill: async () => {
			child.kill('SIGKILL')
			await once(child, 'exit')
		},
		stop: async () => {
			if (child.exitCode !== null || child.signalCode !== null) return child.exitCode
			const ended = once(child, 'exit')
			child.kill('SIGTERM')
			const [code] = await ended
			rmSync(dataDir, { recursive: true, force: true })
			return code as number | null
		},
	}
}

interface Process {
	pid: number
	parent: number
	command: string
}

/** A process with its descendants, except PostgreSQL, which survives its parent. */
export function descendants(pid: number): Process[] {
	const all = processes()
	const found = all.filter((one) => one.pid === pid)
	for (const { pid: parent } of found)
		found.push(...all.filter((one) => one.parent === parent && !/\/postgres -D /.test(one.command)))
	return found
}

/** The processes whose command line contains a text, such as a data directory. */
export function processesOf(text: string): Process[] {
	return processes().filter(({ command }) => command.includes(text))
}

/** Those of these processes that still run. */
export function stillRunning(pids: number[]): number[] {
	const running = new Set((hasProc ? pids.flatMap(readProcess) : processes()).map(({ pid }) => pid))
	return pids.filter((pid) => running.has(pid))
}

/** Sends a signal to processes; ignores those that have ended. */
export function signalAll(pids: number[], signal: NodeJS.Signals): void {
	for (const pid of pids) {
		try {
			process.kill(pid, signal)
		} catch (error) {
			if (codeOf(error) !== 'ESRCH') throw error
		}
	}
}

/** Used in polling: `ps` takes ten times the processor time of these files. */
const hasProc = existsSync('/proc/self/stat')

/** Running processes, without zombies. */
function processes(): Process[] {
	if (hasProc) return readdirSync('/proc').map(Number).filter(Boolean).flatMap(readProcess)
	return execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' })
		.split('\n')
		.map((line) => /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line))
		.filter((match) => match !== null && !match[3]?.startsWith('Z'))
		.map((match) => ({ pid: Number(match?.[1]), parent: Number(match?.[2]), command: match?.[4] ?? '' }))
}

/** @returns the process with this id; empty if it has ended, even as a zombie */
function readProcess(pid: number): Process[] {
	try {
		const [, state, parent] = /\) (\w) (\d+) [^)]*$/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? []
		const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ').trimEnd()
		return state === 'Z' || state === 'X' ? [] : [{ pid, parent: Number(parent), command }]
	} catch {
		return []
	}
}
