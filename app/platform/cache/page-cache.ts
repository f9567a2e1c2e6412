/** A rendered page, compressed, with everything needed to answer a request for it. */
export interface CacheEntry {
	status: number
	/** All headers except those that depend on the content coding. */
	headers: readonly (readonly [string, string])[]
	etag: string
	/** Cache tags found while rendering, besides those derived from the address. */
	shows: readonly string[]
	/** The body, compressed with Brotli. */
	br: Buffer
	/** The body compressed with gzip; created on the first request for it. */
	gzip?: Buffer
}

interface Entry<Value> {
	value: Value
	tags: readonly string[]
	bytes: number
	expiresAt: number
	/** Since when an invalidation may have been missed; null while invalidations are received. */
	suspectSince: number | null
	/** The reference bit of the second-chance eviction: set by a hit, cleared when the entry is spared. */
	used: boolean
}

interface PendingLoad<Value> {
	tags: readonly string[]
	value: Promise<Value>
	/** Tags invalidated since the load began, any of which the value may have; null when all its tags are known in advance. */
	invalidated: Set<string> | null
}

/** What to do with the entry of a key once a value was loaded: store the value, leave the entry as it is, or remove it. */
type StoreAction = 'store' | 'leave' | 'remove'

interface CacheOptions<Value> {
	/** Maximum size of all entries in bytes; with 0, nothing is stored. */
	maxBytes: number
	/** Milliseconds until a value expires. */
	maxAge: number
	/** The size of a value in bytes. */
	bytesOf: (value: Value) => number
	actionFor: (value: Value) => StoreAction
	/** A monotonic clock, in milliseconds. */
	now?: () => number
}

/**
 * When the database goes down, so does the channel that carries invalidations; the two failures may be noticed this many
 * milliseconds apart.
 */
const DETECTION_GAP_MS = 20_000

/** Bytes of an entry besides its body: key, headers, and the objects that hold them; measured at about 1,200. */
const ENTRY_OVERHEAD = 1_500

/**
 * A cache of limited size whose entries are invalidated by tag. It evicts by the second-chance algorithm, in which a hit only sets a
 * flag. Concurrent misses for one key share one load. A value that is invalidated while it is being loaded is returned to the callers
 * that wait for it, but not stored.
 */
export class TaggedCache<Value> {
	readonly #options: Required<CacheOptions<Value>>
	// A Map iterates in insertion order, so the first entry is the oldest.
	readonly #entries = new Map<string, Entry<Value>>()
	readonly #byTag = new Map<string, Set<string>>()
	readonly #inFlight = new Map<string, PendingLoad<Value>>()
	#bytes = 0
	/** While false, nothing is stored, as invalidations by other processes may be missed. */
	#open = true

	constructor({ now = () => performance.now(), ...options }: CacheOptions<Value>) {
		this.#options = { ...options, now }
	}

	/** The current size in bytes. */
	get bytes(): number {
		return this.#bytes
	}

	/** The current number of entries. */
	get size(): number {
		return this.#entries.size
	}

	/** The value of this key if it is cached and fresh. */
	get(key: string): Value | undefined {
		const entry = this.#entries.get(key)
		if (!entry) return undefined
		if (entry.suspectSince !== null || entry.expiresAt <= this.#options.now()) return undefined
		entry.used = true
		return entry.value
	}

	/**
	 * The value of this key even if it has expired, for use during an outage.
	 * @param lasting milliseconds since the outage began. A value that may have missed an invalidation before then is not returned
	 */
	getStale(key: string, lasting: number): Value | undefined {
		const entry = this.#entries.get(key)
		if (!entry) return undefined
		const since = this.#options.now() - lasting - DETECTION_GAP_MS
		if (entry.suspectSince !== null && entry.suspectSince < since) return undefined
		entry.used = true
		return entry.value
	}

	/**
	 * The value of this key: cached, from a load in flight, or else loaded by `load`.
	 * @param tags invalidating any of them invalidates the value
	 * @param tagsOf further tags, which are known only once the value is loaded
	 * @throws whatever `load` throws, to every caller that waits for it
	 */
	fill(
		key: string,
		tags: readonly string[],
		load: () => Promise<Value>,
		tagsOf?: (value: Value) => readonly string[],
	): Promise<Value> {
		const cached = this.get(key)
		if (cached !== undefined) return Promise.resolve(cached)
		const running = this.#inFlight.get(key)
		// As its tags are still unknown, any tag invalidated since it began may be among them.
		if (running && !running.invalidated?.size) return running.value
		// A load that began while invalidations could be missed may already be stale.
		const mayStore = this.#open
		const pending: PendingLoad<Value> = { tags, value: load(), invalidated: tagsOf ? new Set() : null }
		this.#inFlight.set(key, pending)
		const settle = () => this.#inFlight.get(key) === pending && this.#inFlight.delete(key)
		pending.value.then(
			(value) => {
				if (!settle()) return
				const action = this.#options.actionFor(value)
				const found = tagsOf?.(value) ?? []
				if (found.some((tag) => pending.invalidated?.has(tag))) return
				if (mayStore && action === 'store') this.#store(key, [...tags, ...found], value)
				else if (action !== 'leave') this.#remove(key)
			},
			() => settle(),
		)
		return pending.value
	}

	/** Records that a cached value takes more bytes than before, and evicts others where needed. */
	grow(key: string, bytes: number): void {
		const entry = this.#entries.get(key)
		if (!entry) return
		entry.bytes += bytes
		this.#bytes += bytes
		this.#shrink()
	}

	/** Removes every value with one of these tags, and keeps loads in flight that may have one from being stored. */
	invalidate(tags: readonly string[]): void {
		for (const [key, { tags: known, invalidated }] of this.#inFlight)
			if (known.some((tag) => tags.includes(tag))) this.#inFlight.delete(key)
			else for (const tag of tags) invalidated?.add(tag)
		for (const tag of tags) for (const key of [...(this.#byTag.get(tag) ?? [])]) this.#remove(key)
	}

	/** Call it when invalidations may be missed: until {@link reopen}, nothing is stored, and only {@link getStale} returns values. */
	close(): void {
		this.#open = false
		this.#inFlight.clear()
		for (const entry of this.#entries.values()) entry.suspectSince ??= this.#options.now()
	}

	/** Removes the values whose invalidation may have been missed, and stores values again. */
	reopen(): void {
		for (const [key, entry] of [...this.#entries]) if (entry.suspectSince !== null) this.#remove(key)
		this.#open = true
	}

	#store(key: string, tags: readonly string[], value: Value): void {
		const bytes = this.#options.bytesOf(value) + Buffer.byteLength(key) + ENTRY_OVERHEAD
		if (!this.#open || bytes > this.#options.maxBytes) return
		this.#remove(key)
		const expiresAt = this.#options.now() + this.#options.maxAge
		this.#entries.set(key, { value, tags, bytes, expiresAt, suspectSince: null, used: false })
		this.#bytes += bytes
		for (const tag of tags) {
			const keys = this.#byTag.get(tag) ?? new Set()
			this.#byTag.set(tag, keys.add(key))
		}
		this.#shrink()
	}

	#shrink(): void {
		for (const [key, entry] of this.#entries) {
			if (this.#bytes <= this.#options.maxBytes) return
			if (!entry.used) {
				this.#remove(key)
				continue
			}
			// A second chance: behind all others, where this loop meets it again if the cache is still too large.
			entry.used = false
			this.#entries.delete(key)
			this.#entries.set(key, entry)
		}
	}

	#remove(key: string): void {
		const entry = this.#entries.get(key)
		if (!entry) return
		this.#entries.delete(key)
		this.#bytes -= entry.bytes
		for (const tag of entry.tags) {
			const keys = this.#byTag.get(tag)
			keys?.delete(key)
			if (keys?.size === 0) this.#byTag.delete(tag)
		}
	}
}

/** Rendered pages. Only responses with status 200 are stored. */
export class PageCache extends TaggedCache<CacheEntry> {
	constructor(options: Pick<CacheOptions<CacheEntry>, 'maxBytes' | 'maxAge' | 'now'>) {
		super({
			...options,
			bytesOf: ({ br }) => br.length,
			// A page that no longer exists must not be served stale; a server error says nothing about the page.
			actionFor: ({ status }) => (status === 200 ? 'store' : status < 500 ? 'remove' : 'leave'),
		})
	}
}

/** Rows read from the database. */
export class DataCache extends TaggedCache<unknown> {
	readonly #isEnabled: boolean

	/** @param maxBytes approximate maximum size of all rows; with 0, every call reads from the database */
	constructor(maxBytes: number, maxAge: number, now?: () => number) {
		super({
			maxBytes,
			maxAge,
			...(now && { now }),
			bytesOf: (value) => 2 * JSON.stringify(value).length,
			actionFor: (value) => (value === undefined ? 'leave' : 'store'),
		})
		this.#isEnabled = maxBytes > 0
	}

	/** As {@link TaggedCache.fill}, with the value deeply frozen. */
	read<Value>(
		key: string,
		tags: readonly string[],
		read: () => Promise<Value>,
		tagsOf?: (value: Value) => readonly string[],
	): Promise<Value> {
		if (!this.#isEnabled) return read()
		const furtherTags = tagsOf && ((value: unknown) => tagsOf(value as Value))
		return this.fill(key, tags, async () => deepFreeze(await read()), furtherTags) as Promise<Value>
	}
}

function deepFreeze<Value>(value: Value): Value {
	if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
	for (const part of Object.values(value)) deepFreeze(part)
	return Object.freeze(value)
}
