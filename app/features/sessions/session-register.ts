import { randomUUID } from 'node:crypto'

/** Of a member whose sessions or account changed lately: what stands for these changes, and when this process learned of them. */
interface Change {
	version: string
	/** Milliseconds of a monotonic clock. */
	heardAt: number
}

/** The version of a member of whom no change is known. */
const UNCHANGED = '0'

/**
 * Which short signed cookies this process may believe. A cookie carries the version that its member had when it was signed: one
 * that stands for the changes of the last minutes, or 0. A change gives the member another version, so that every older
 * cookie is looked up once and signed again. Where this process cannot know the version, it gives one that equals no other: then
 * no cookie of that member is believed, and none that is signed meanwhile will be.
 *
 * Times are milliseconds of one monotonic clock; numbers say which came first, an announcement or a read.
 */
export class SessionRegister {
	#changes = new Map<number, Change>()
	/** Counts announcements and reads. */
	#step = 0
	/** Members with an announced change that has not been read from the database yet, with the step of the announcement. */
	readonly #outdated = new Map<number, number>()
	/** The step since which nothing that other processes say can have been missed; null while something can. */
	#listeningSince: number | null = null
	/** Whether the database was asked since then: only now it is known what had been said before. */
	#hasRead = false

	/**
	 * The version that a cookie of this member must carry to be believed, and that a new one is signed with.
	 * @param startedAt when the request came. What was announced since then may be later than what the request has read.
	 */
	versionOf(userId: number, startedAt: number): string {
		if (!this.#hasRead || this.#listeningSince === null || this.#outdated.has(userId)) return randomUUID()
		const change = this.#changes.get(userId)
		if (!change) return UNCHANGED
		return change.heardAt < startedAt ? change.version : randomUUID()
	}

	/**
	 * The version as far as this process knows, though it may have missed a change: good enough for a name in the header while
	 * the database is away, and for nothing else.
	 */
	lastKnownVersionOf(userId: number): string {
		if (this.#outdated.has(userId)) return randomUUID()
		return this.#changes.get(userId)?.version ?? UNCHANGED
	}

	/** Something of this member changed: nothing of theirs is believed until it has been read. */
	invalidate(userId: number): void {
		this.#outdated.set(userId, this.#next())
	}

	/** From now on every announcement of other processes arrives. Earlier ones must be read once. */
	startListening(): void {
		this.#listeningSince = this.#next()
		this.#hasRead = false
	}

	/** From now on announcements of other processes may be missed. */
	stopListening(): void {
		this.#listeningSince = null
		this.#hasRead = false
	}

	/** To be called before the database is read. @returns what {@link take} is to be given with the answer */
	beginRead(): number {
		return this.#next()
	}

	/**
	 * Takes in what the database knows of the last minutes: a version by member.
	 * @param readStep what {@link beginRead} gave: what was announced after it is not in this answer
	 * @param now when the answer came
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
