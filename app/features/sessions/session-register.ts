import { randomUUID } from 'node:crypto'

/** A recent change of a member's sessions or account: its version, and when this process learned of it. */
interface Change {
	version: string
	/** Milliseconds of a monotonic clock. */
	heardAt: number
}

/** The version of a member without known changes. */
const UNCHANGED = '0'

/**
 * Decides which short-lived signed cookies this process may trust. A cookie carries its member's version at the time of
 * signing: a value for the changes of the last minutes, or 0. Each change gives the member a new version, so every
 * older cookie is looked up once and signed again. If this process cannot know the version, it returns a unique one:
 * then no cookie of that member is trusted, nor will any be that is signed meanwhile.
 *
 * Times are milliseconds of one monotonic clock; step numbers order announcements and reads.
 */
export class SessionRegister {
	#changes = new Map<number, Change>()
	/** Counts announcements and reads. */
	#step = 0
	/** Members with an announced change that was not read from the database yet, with the step of the announcement. */
	readonly #outdated = new Map<number, number>()
	/** The step since which no announcement of other processes can have been missed; null while some can. */
	#listeningSince: number | null = null
	/** Whether the database was read since then, which also yields earlier changes. */
	#hasRead = false

	/**
	 * The version that a cookie of this member must carry to be trusted, and with which a new one is signed.
	 * @param startedAt when the request arrived; it may have read its data before any change that was announced later
	 */
	versionOf(userId: number, startedAt: number): string {
		if (!this.#hasRead || this.#listeningSince === null || this.#outdated.has(userId)) return randomUUID()
		const change = this.#changes.get(userId)
		if (!change) return UNCHANGED
		return change.heardAt < startedAt ? change.version : randomUUID()
	}

	/**
	 * The version as far as this process knows; it may have missed a change. Only good enough for the name in the header
	 * while the database is unavailable.
	 */
	lastKnownVersionOf(userId: number): string {
		if (this.#outdated.has(userId)) return randomUUID()
		return this.#changes.get(userId)?.version ?? UNCHANGED
	}

	/** Something of this member changed: their cookies are not trusted until the change was read. */
	invalidate(userId: number): void {
		this.#outdated.set(userId, this.#next())
	}

	/** From now on every announcement of other processes arrives. Earlier changes must be read once. */
	startListening(): void {
		this.#listeningSince = this.#next()
		this.#hasRead = false
	}

	/** From now on announcements of other processes may be missed. */
	stopListening(): void {
		this.#listeningSince = null
		this.#hasRead = false
	}

	/** Call this before reading the database. @returns the step to pass to {@link take} with the result */
	beginRead(): number {
		return this.#next()
	}

	/**
	 * Stores the recent changes in the database: a version by member.
	 * @param readStep from {@link beginRead}; the result lacks changes that were announced after it
	 * @param now when the result arrived
	 */
	take(latest: ReadonlyMap<number, string>, readStep: number, now: number): void {
		const known = this.#changes
		this.#changes = new Map(
			[...latest].map(([userId, version]) => {
				const before = known.get(userId)
				return [userId, before?.version === version ? before : { version, heardAt: now }]
			}),
		)
		for (const [userId, step] of this.#outdated) if (step < readStep) this.#outdated.delete(userId)
		if (this.#listeningSince !== null && this.#listeningSince < readStep) this.#hasRead = true
	}

	#next(): number {
		this.#step += 1
		return this.#step
	}
}
