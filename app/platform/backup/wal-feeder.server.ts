import { lstatSync } from 'node:fs'
import { lchown, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { ownFolder } from '~/platform/db/postgres-owner.server.ts'
import { WAL_FOLDER, walFolder } from '~/platform/db/wal-archiving.server.ts'
import { readSegment, type WalSegment } from './wal-archive.server.ts'

const folder = `"$${WAL_FOLDER}-restore"`

/**
 * PostgreSQL's restore_command: it names the segment that it wants, and waits for it if the segment is on the list. The command
 * runs as PostgreSQL's account, which can read neither the archive nor this program.
 */
export const RESTORE_COMMAND = `grep -qx %f ${folder}/list || exit 1; echo %f > ${folder}/wanted; while [ ! -e ${folder}/%f ]; do [ -e ${folder}/list ] || exit 1; sleep 0.05; done; cp ${folder}/%f %p`

/** Segments that are unpacked ahead of the requested one, and kept behind it. */
const AHEAD = 6
const BEHIND = 2
const LOOK_EVERY_MS = 20

interface FeederOptions {
	onProgress?: ((done: number, total: number) => void) | undefined
	/** Aborts the recovery, as a segment that cannot be read does. */
	signal?: AbortSignal | undefined
}

/** Provides PostgreSQL with archived segments, a few at a time, as those of one day take dozens of gigabytes. */
export class WalFeeder {
	readonly #dataDir: string
	readonly #folder: string
	readonly #segments: WalSegment[]
	readonly #identity: string | null
	readonly #onProgress: (done: number, total: number) => void
	readonly #signal: AbortSignal | undefined
	#feeding: Promise<void> = Promise.resolve()
	#isOver = false
	/** Why PostgreSQL did not get a segment; null if it did. */
	failure: Error | null = null

	constructor(
		dataDir: string,
		segments: WalSegment[],
		identity: string | null,
		{ onProgress = () => {}, signal }: FeederOptions = {},
	) {
		this.#dataDir = dataDir
		this.#folder = `${walFolder(dataDir)}-restore`
		this.#segments = segments
		this.#identity = identity
		this.#onProgress = onProgress
		this.#signal = signal
	}

	/** @returns stops it and removes the unpacked segments */
	async start(): Promise<() => Promise<void>> {
		await rm(this.#folder, { recursive: true, force: true })
		ownFolder(this.#folder, this.#owner())
		await this.#place('list', Buffer.from(this.#segments.map(({ name }) => `${name}\n`).join('')))
		this.#feeding = this.#feed().catch(async (error) => {
			this.failure = error as Error
			// Makes a waiting command exit.
			await rm(join(this.#folder, 'list'), { force: true })
		})
		return async () => {
			this.#isOver = true
			await this.#feeding
			await rm(this.#folder, { recursive: true, force: true })
		}
	}

	async #feed(): Promise<void> {
		const laid = new Set<string>()
		for (let listed = -1; !this.#isOver; await sleep(LOOK_EVERY_MS)) {
			this.#signal?.throwIfAborted()
			const requested = (await readFile(join(this.#folder, 'wanted'), 'utf8').catch(() => '')).trim()
			const index = Math.max(
				0,
				this.#segments.findIndex(({ name }) => name === requested),
			)
			const near = this.#segments.slice(Math.max(0, index - BEHIND), index + AHEAD)
			for (const name of laid)
				if (!near.some((segment) => segment.name === name)) {
					await rm(join(this.#folder, name), { force: true })
					laid.delete(name)
				}
			for (const segment of [...near.slice(BEHIND), ...near.slice(0, BEHIND)]) {
				if (laid.has(segment.name)) continue
				await this.#place(segment.name, await readSegment(segment, this.#identity))
				laid.add(segment.name)
			}
			if (index !== listed) this.#onProgress(index + 1, this.#segments.length)
			listed = index
		}
	}

	/** Places a complete file that PostgreSQL's account may read. */
	async #place(name: string, contents: Uint8Array): Promise<void> {
		const path = join(this.#folder, name)
		await writeFile(`${path}.new`, contents, { mode: 0o600 })
		const { uid, gid } = this.#owner()
		if (uid !== undefined && gid !== undefined) await lchown(`${path}.new`, uid, gid)
		await rename(`${path}.new`, path)
	}

	#owner() {
		const { uid, gid } = lstatSync(join(this.#dataDir, 'postgres'))
		return process.getuid?.() === 0 ? { uid, gid, prefix: [] } : { prefix: [] }
	}
}
