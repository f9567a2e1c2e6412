import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto'
import { readFile, rm, stat, statfs } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { log } from '~/lib/log.server.ts'
import { diskError } from '~/lib/system-errors.ts'
import { capitalize } from '~/lib/text.ts'
import {
	disableArchiving,
	enableArchiving,
	isArchiving,
	isArchivingWorking,
	SEGMENT_BYTES,
	systemIdentifier,
	walFolder,
} from '~/platform/db/wal-archiving.server.ts'
import {
	type ArchivingState,
	forgetArchivingState,
	readArchivingState,
	waitingSegments,
	writeArchivingState,
} from './archiving-state.server.ts'
import { PictureMirror } from './picture-mirror.server.ts'
import {
	createArchive,
	findWalArchive,
	listSegments,
	segmentNumber,
	sweepArchive,
	type WalArchive,
	writeSegment,
} from './wal-archive.server.ts'

/** Seconds after which PostgreSQL hands over a segment that is not full. Including the copy, less than 60 s of data can be lost. */
const HAND_OVER_SECONDS = 40
/** Milliseconds that copying a segment usually takes at most: what was committed earlier is in this segment or in one before. */
const COPYING_MS = 1_000
/** Segments that may wait while the destination is unavailable: 1 GB, at least forty minutes. */
const MAX_WAITING = 64
/** Minimum free bytes on the disk of the data directory. Below it, waiting segments are discarded. */
const MIN_FREE_BYTES = 512 * 2 ** 20
const PICTURES_EVERY_MS = 20_000
const BASE_EVERY_MS = 24 * 3_600_000
/** Milliseconds from a failed base backup, or a failed removal of what is too old, to the next attempt. */
const BASE_RETRY_MS = 10 * 60_000
const STATE_EVERY_MS = 10_000
const ASK_EVERY_MS = 30_000
/** Milliseconds after which a round counts as hung: a network disk whose server is down blocks its callers forever. */
const PATIENCE_MS = 60_000

/** What admins have set. */
export interface ArchivingSettings {
	/** An absolute path. */
	place: string
	passphrase: string | null
	/** How many days have to be restorable. */
	keep: number
}

interface ArchiverOptions {
	dataDir: string
	/** DevQuad's version. */
	version: string
	/** Copies the cluster into this archive. @returns bytes of the file. @throws Error with one sentence */
	makeBase: (folder: string) => Promise<number>
	/** Milliseconds for a round, for tests. */
	patienceMs?: number
}

/** Copies finished WAL segments and new pictures to the archive. Only one may run per data directory: the caller holds a lock. */
export class Archiver {
	readonly #options: ArchiverOptions
	#state: ArchivingState | null = null
	#archive: WalArchive | null = null
	#mirror: PictureMirror | null = null
	#round: Promise<void> | null = null
	#base: Promise<void> | null = null
	#copying: Promise<void> | null = null
	/** Whether WAL was lost after the current base backup began, so that another one is needed. */
	#hasGapAfterBase = false
	#passphrase: string | null | undefined
	/** When the next of each is due, by a clock that nobody sets. */
	#nextPictures = 0
	#nextQuestion = 0
	#nextBase = 0
	#nextWrite = 0
	/** Errors besides those of the WAL, until the next attempt. */
	readonly #troubles = new Map<'server' | 'pictures' | 'base' | 'sweep', string>()

	constructor(options: ArchiverOptions) {
		this.#options = options
	}

	/**
	 * One round of work; call it every second. It never throws: errors go to the state, and once to the log. A round that hangs is not
	 * waited for, and no other begins meanwhile.
	 * @param obstacle why nothing may be archived now, in one sentence: what is to be archived waits
	 */
	async look(settings: ArchivingSettings | null, obstacle: string | null = null): Promise<void> {
		try {
			if (settings === null) return await this.#stop()
			if (obstacle !== null) {
				this.#state ??= (await readArchivingState(this.#options.dataDir)) ?? stateOf(settings)
				throw new Error(obstacle)
			}
			this.#round ??= this.#work(settings).finally(() => {
				this.#round = null
			})
			await inTime(this.#round, this.#options.patienceMs ?? PATIENCE_MS, `${settings.place} does not answer`)
		} catch (error) {
			await this.#saveState(wordsOf(error))
			await this.#discardExcess().catch((cause) =>
				log.error({ err: cause }, 'pending WAL segments could not be removed'),
			)
		}
	}

	/** Waits for a base backup, and for copies of pictures, in progress. */
	async settle(): Promise<void> {
		await Promise.all([this.#base, this.#copying])
	}

	/** @throws Error when the place cannot be reached or written */
	async #work(settings: ArchivingSettings): Promise<void> {
		const archive = await this.#open(settings)
		await this.#ship(archive)
		this.#beginBase(archive, settings.keep)
		await this.#askServer()
		this.#beginPictures()
		await this.#saveState([...this.#troubles.values()][0] ?? null)
	}

	async #stop(): Promise<void> {
		const { dataDir } = this.#options
		if (isArchiving(dataDir)) await disableArchiving(dataDir)
		await forgetArchivingState(dataDir)
		this.#state = null
		this.#archive = null
	}

	/** The archive of this data directory. A new one is created where the destination, the passphrase or the cluster has changed. */
	async #open(settings: ArchivingSettings): Promise<WalArchive> {
		const { dataDir } = this.#options
		this.#state ??= await readArchivingState(dataDir)
		const isSame =
			this.#state?.place === settings.place &&
			(this.#passphrase === settings.passphrase || isMarkOf(this.#state.passphraseMark, settings.passphrase))
		this.#passphrase = settings.passphrase
		if (!isSame) {
			this.#state = stateOf(settings)
			this.#archive = null
		}
		if (!isArchiving(dataDir)) {
			await enableArchiving(dataDir, HAND_OVER_SECONDS)
			this.#set({ needsBase: true })
		}
		// A disk that is not mounted now may come back; nothing must be written below its mount point.
		await stat(settings.place)
		if (this.#archive) await requireArchive(this.#archive.folder)
		else {
			this.#archive = (await this.#reopen()) ?? (await this.#begin(settings))
			this.#mirror = new PictureMirror(this.#archive)
			this.#nextPictures = 0
		}
		return this.#archive
	}

	/**
	 * The archive that an earlier process wrote to; null where there is none, or it belongs to another cluster, or to a later state of this
	 * one. @throws Error when it cannot be reached
	 */
	async #reopen(): Promise<WalArchive | null> {
		const { folder, last } = this.#stateNow()
		if (folder === null) return null
		const archive = await requireArchive(folder)
		if (archive.system !== (await systemIdentifier(this.#options.dataDir))) return null
		// A newer segment than the last one that this data directory archived: it is an earlier copy of itself, and what it writes from now
		// on must not be mixed with what it wrote then.
		const newest = (await listSegments(archive)).at(-1)
		return newest && (last === null || newest.number > segmentNumber(last.name)) ? null : archive
	}

	async #begin(settings: ArchivingSettings): Promise<WalArchive> {
		const { dataDir, version } = this.#options
		const system = await systemIdentifier(dataDir)
		const archive = await createArchive(settings.place, { system, version, passphrase: settings.passphrase })
		this.#state = { ...stateOf(settings), folder: archive.folder }
		this.#nextBase = 0
		await writeArchivingState(dataDir, this.#state)
		return archive
	}

	async #askServer(): Promise<void> {
		if (performance.now() < this.#nextQuestion) return
		this.#nextQuestion = performance.now() + ASK_EVERY_MS
		if (await isArchivingWorking(this.#options.dataDir)) this.#troubles.delete('server')
		else this.#troubles.set('server', 'PostgreSQL cannot hand over what it writes; its log, postgres.log, says why.')
	}

	/** Beside the WAL, which must not wait: the first copies may take hours. */
	#beginPictures(): void {
		if (this.#copying || performance.now() < this.#nextPictures) return
		this.#copying = this.#copyPictures().finally(() => {
			this.#copying = null
			this.#nextPictures = performance.now() + PICTURES_EVERY_MS
		})
	}

	async #copyPictures(): Promise<void> {
		try {
			await this.#mirror?.copyNew()
			this.#troubles.delete('pictures')
		} catch (error) {
			this.#troubles.set('pictures', `Pictures could not be copied: ${wordsOf(error)}`)
		}
	}

	async #ship(archive: WalArchive): Promise<void> {
		const { dataDir } = this.#options
		for (const name of await waitingSegments(dataDir)) {
			const file = join(walFolder(dataDir), name)
			if (/^[\dA-F]{24}$/.test(name)) await this.#shipOne(archive, name, file)
			await rm(file, { force: true })
		}
	}

	async #shipOne(archive: WalArchive, name: string, file: string): Promise<void> {
		const { last } = this.#stateNow()
		if (last && segmentNumber(name) <= segmentNumber(last.name)) return
		const [contents, { mtime }] = await Promise.all([readFile(file), stat(file)])
		const follows = last === null || segmentNumber(name) === segmentNumber(last.name) + 1
		if (!follows || contents.length !== SEGMENT_BYTES) this.#noteGap(last ? new Date(last.at) : mtime)
		if (contents.length !== SEGMENT_BYTES) return
		const at = new Date(mtime.getTime() - COPYING_MS)
		await writeSegment(archive, name, at, contents)
		this.#set({ last: { name, at: at.toISOString() } })
		// At once: after a kill, the archive would look like one of a later state.
		await writeArchivingState(this.#options.dataDir, this.#stateNow())
	}

	#noteGap(since: Date): void {
		log.error({ since }, 'WAL is missing from the continuous archive, so a new base backup is made')
		this.#hasGapAfterBase = true
		this.#set({ needsBase: true, gapSince: this.#stateNow().gapSince ?? since.toISOString() })
		this.#nextBase = 0
	}

	#beginBase(archive: WalArchive, keep: number): void {
		const { needsBase, base } = this.#stateNow()
		// Also one of the future, made while the clock was wrong.
		const isDue = needsBase || !base || Math.abs(Date.now() - Date.parse(base.at)) > BASE_EVERY_MS
		if (this.#base || performance.now() < this.#nextBase) return
		if (isDue) this.#hasGapAfterBase = false
		else if (!this.#troubles.has('sweep')) return
		this.#base = (isDue ? this.#makeBase(archive, keep) : this.#sweep(archive, keep)).finally(() => {
			this.#base = null
		})
	}

	/** It never throws. `needsBase` stays until the copy is complete, as the process may be killed meanwhile. */
	async #makeBase(archive: WalArchive, keep: number): Promise<void> {
		const begun = new Date().toISOString()
		// Archiving may be turned off meanwhile, or go elsewhere.
		const isOver = () => this.#state?.folder !== archive.folder
		try {
			const bytes = await this.#options.makeBase(archive.folder)
			if (isOver()) return
			this.#troubles.delete('base')
			const whole = this.#hasGapAfterBase ? {} : { needsBase: false, gapSince: null }
			this.#set({ base: { at: begun, bytes }, ...whole })
		} catch (error) {
			if (isOver()) return
			this.#troubles.set('base', `The database could not be copied: ${wordsOf(error)}`)
			this.#nextBase = performance.now() + BASE_RETRY_MS
			return
		}
		await this.#sweep(archive, keep)
	}

	/** Removes what no restorable moment needs. It never throws. */
	async #sweep(archive: WalArchive, keep: number): Promise<void> {
		try {
			const oldest = await sweepArchive(archive, keep)
			if (oldest) await this.#mirror?.sweep(oldest)
			this.#troubles.delete('sweep')
		} catch (error) {
			this.#troubles.set('sweep', `The oldest part of the archive could not be removed: ${wordsOf(error)}`)
			this.#nextBase = performance.now() + BASE_RETRY_MS
		}
	}

	/** Keeps pending segments from filling the disk: discards all of them, which makes a new base backup necessary. */
	async #discardExcess(): Promise<void> {
		const { dataDir } = this.#options
		const waiting = await waitingSegments(dataDir)
		if (waiting.length === 0) return
		const { bavail, bsize } = await statfs(dataDir)
		if (waiting.length <= MAX_WAITING && bavail * bsize >= MIN_FREE_BYTES) return
		const state = this.#state
		if (state) this.#noteGap(new Date(state.last?.at ?? state.lookedAt))
		for (const name of waiting) await rm(join(walFolder(dataDir), name), { force: true })
		// The outage may last, and a base backup is expensive.
		this.#nextBase = performance.now() + BASE_RETRY_MS
	}

	#stateNow(): ArchivingState {
		if (!this.#state) throw new Error('Archiving has not begun.')
		return this.#state
	}

	#set(change: Partial<ArchivingState>): void {
		this.#state = { ...this.#stateNow(), ...change }
		this.#nextWrite = 0
	}

	/** Stores the state. @param words the error, or null */
	async #saveState(words: string | null): Promise<void> {
		if (!this.#state) return
		const { trouble } = this.#state
		if (trouble?.words !== words) {
			if (words) log.error({ reason: words }, 'continuous archiving fails')
			this.#set({ trouble: words ? { since: trouble?.since ?? new Date().toISOString(), words } : null })
		}
		if (performance.now() < this.#nextWrite) return
		this.#state.lookedAt = new Date().toISOString()
		this.#nextWrite = performance.now() + STATE_EVERY_MS
		await writeArchivingState(this.#options.dataDir, this.#state).catch(() => {})
	}
}

/** @throws Error with these words when the work takes longer; it goes on */
async function inTime(work: Promise<void>, milliseconds: number, words: string): Promise<void> {
	const stop = new AbortController()
	const late = sleep(milliseconds, true, { ref: false, signal: stop.signal }).catch(() => false)
	try {
		if (await Promise.race([work.then(() => false), late])) throw new Error(words)
	} finally {
		stop.abort()
	}
}

async function requireArchive(folder: string): Promise<WalArchive> {
	const archive = await findWalArchive(folder)
	if (archive) return archive
	throw new Error(
		`${folder} is not there. Is its disk mounted? To begin a new archive, turn continuous archiving off, save, and turn it on again`,
	)
}

/** The initial state. */
function stateOf({ place, passphrase }: ArchivingSettings): ArchivingState {
	return {
		place,
		folder: null,
		passphraseMark: markOf(passphrase),
		last: null,
		needsBase: true,
		base: null,
		trouble: null,
		gapSince: null,
		lookedAt: new Date().toISOString(),
	}
}

function markOf(passphrase: string | null): string | null {
	if (passphrase === null) return null
	const salt = randomBytes(16)
	return `${salt.toString('hex')}:${scryptSync(passphrase, salt, 32).toString('hex')}`
}

function isMarkOf(mark: string | null, passphrase: string | null): boolean {
	if (mark === null || passphrase === null) return mark === passphrase
	const [salt = '', hash = ''] = mark.split(':')
	return timingSafeEqual(scryptSync(passphrase, Buffer.from(salt, 'hex'), 32), Buffer.from(hash, 'hex'))
}

function wordsOf(error: unknown): string {
	const disk = diskError(error)
	if (disk) return `${capitalize(disk)}.`
	const { code, path } = error as NodeJS.ErrnoException
	if (code === 'ENOENT' && path) return `${path} is not there.`
	if (code === 'EACCES' && path) return `The site may not write to ${path}.`
	const words = error instanceof Error ? error.message : String(error)
	return `${words.replace(/\.$/, '')}.`
}
