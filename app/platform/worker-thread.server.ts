import { join } from 'node:path'
import Tinypool from 'tinypool'

/* Worker threads, for work that would hold up the requests of a process: rendering long texts, encoding sentences. */

interface ThreadOptions {
	/** The worker's file: `NAME.server.ts` among the sources, `NAME.js` beside the bundle of the server. */
	name: string
	/** The address of a module in the folder of the worker's source. */
	beside: string
	/** Milliseconds without work after which the thread ends. */
	idleMs: number
	/** Bytes of its heap above which it ends after a task; without it, it has no such limit. */
	maxHeapBytes?: number
	/** Called for an error of the thread outside a task, such as one that cannot be started. */
	onError: (pool: Tinypool, error: unknown) => void
}

/** A pool of at most one thread, which starts with a task and ends when it has been idle. */
export function startThread({ name, beside, idleMs, maxHeapBytes, onError }: ThreadOptions): Tinypool {
	const pool = new Tinypool({
		runtime: 'worker_threads',
		minThreads: 0,
		maxThreads: 1,
		idleTimeout: idleMs,
		...(maxHeapBytes !== undefined && { maxMemoryLimitBeforeRecycle: maxHeapBytes }),
		...fileOf(name, beside),
	})
	// Without a listener, it would end the process.
	return pool.on('error', (error) => onError(pool, error))
}

function fileOf(name: string, beside: string): { filename: string; execArgv?: string[] } {
	// In production the worker is a file of its own beside the server's bundle, and the working directory is the project's folder.
	if (import.meta.env?.PROD) return { filename: join(process.cwd(), `build/server/${name}.js`) }
	const alias = new URL('../../scripts/support/alias.mjs', import.meta.url).href
	return {
		filename: new URL(`./${name}.server.ts`, beside).href,
		execArgv: ['--disable-warning=ExperimentalWarning', '--import', alias],
	}
}
