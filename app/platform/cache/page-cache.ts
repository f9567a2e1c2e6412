/** A page as it is kept: whole, compressed, with everything that its answer needs. */
export interface CacheEntry {
	status: number
	/** Everything but what depends on the coding. */
	headers: readonly (readonly [string, string])[]
	etag: string
	/** What it turned out to show besides what its address tells, as tags. */
	shows: readonly string[]
	/** Compressed with Brotli. */
	br: Buffer
	/** The same compressed with gzip, made when somebody first asks for it. */
	gzip?: Buffer
}

interface Entry<Value> {
	value: Value
	tags: readonly string[]
	bytes: number
	expiresAt: number
	/** Since when a drop of it may have been missed; null while drops are heard. */
	doubtfulSince: number | null
	/** Whether it was asked for since it was last passed over. */
	used: boolean
}

interface Flight<Value> {
	tags: readonly string[]
	value: Promise<Value>
	/** Tags that were dropped meanwhile, which it may turn out to have; null where all its tags are known. */
	missed: Set<string> | null
}

/** What becomes of a value that was made: it is kept; only handed out; or handed out, and the one before it taken away. */
type Fate = 'keep' | 'pass' | 'remove'

interface CacheOptions<Value> {
	/** Bytes that all values together may take; 0 keeps none. */
	maxBytes: number
	/** Milliseconds after which a value is made again, whatever happened. */
	maxAge: number
	/** Bytes that a value takes. */
	bytesOf: (value: Value) => number
	fateOf: (value: Value) => Fate
	/** The clock, in milliseconds; one that is never set back. */
	now?: () => number
}

/** A database that goes away takes what tells of drops along, but it may be noticed this much later, in milliseconds. */
const AWAY_TOGETHER_MS = 20_000

/** What an entry takes besides its body: key, headers, and the objects around them; measured at about 1,200 bytes. */
const overhead = 1_500

/**
 * Values by key, at most so many bytes of them. When room is needed, the oldest that nobody asked for lately is given up: a
 * second chance for the others, which costs a hit nothing but a mark. Several requests for a value that is not
 * there make it once. A value that was dropped while it was being made is handed to those who waited and not kept.
 */
export class TaggedCache<Value> {
	readonly #options: Required<CacheOptions<Value>>
	// A Map hands out its keys in the order of insertion: the first is the oldest.
	readonly #entries = new Map<string, Entry<Value>>()
	readonly #byTag = new Map<string, Set<string>>()
	readonly #flights = new Map<string, Flight<Value>>()
	#bytes = 0
	/** While false, nothing is kept: a drop elsewhere might not be heard here. */
	#open = true

	constructor({ now = () => performance.now(), ...options }: CacheOptions<Value>) {
		this.#options = { ...options, now }
	}

	/** Bytes that are kept now. */
	get bytes(): number {
		return this.#bytes
	}

	/** How many values are kept now. */
	get size(): number {
		return this.#entries.size
	}

	/** The value of this key if it is kept and fresh. */
	get(key: string): Value | undefined {
		const entry = this.#entries.get(key)
		if (!entry) return undefined
		if (entry.doubtfulSince !== null || entry.expiresAt <= this.#options.now()) return undefined
		entry.used = true
		return entry.value
	}

	/**
	 * The value of this key however old it is, for when none can be made.
	 * @param lasting milliseconds for which that has been so. A value whose drop may have been missed before that is none
	 */
	getStale(key: string, lasting: number): Value | undefined {
		const entry = this.#entries.get(key)
		if (!entry) return undefined
		const since = this.#options.now() - lasting - AWAY_TOGETHER_MS
		if (entry.doubtfulSince !== null && entry.doubtfulSince < since) return undefined
		entry.used = true
		return entry.value
	}

	/**
	 * The value of this key, made by `make` unless it is there or being made already.
	 * @param tags what it shows; dropping one of them drops the value
	 * @param tagsOf what else it turns out to show
	 * @throws whatever `make` throws, to everybody who waits for it
	 */
	fill(
		key: string,
		tags: readonly string[],
		make: () => Promise<Value>,
		tagsOf?: (value: Value) => readonly string[],
	): Promise<Value> {
		const kept = this.get(key)
		if (kept !== undefined) return Promise.resolve(kept)
		const running = this.#flights.get(key)
		// What is not known to show what was dropped since is not known not to, either.
		if (running && !running.missed?.size) return running.value
		// What was begun while drops could not be heard may be older than one of them.
		const keeps = this.#open
		const flight: Flight<Value> = { tags, value: make(), missed: tagsOf ? new Set() : null }
		this.#flights.set(key, flight)
		const landed = () => this.#flights.get(key) === flight && this.#flights.delete(key)
		flight.value.then(
			(value) => {
				if (!landed()) return
				const fate = this.#options.fateOf(value)
				const others = tagsOf?.(value) ?? []
				if (others.some((tag) => flight.missed?.has(tag))) return
				if (keeps && fate === 'keep') this.#keep(key, [...tags, ...others], value)
				else if (fate !== 'pass') this.#remove(key)
			},
			() => landed(),
		)
		return flight.value
	}

	/** Tells that a value grew, by the compression that somebody asked for. */
	grew(key: string, bytes: number): void {
		const entry = this.#entries.get(key)
		if (!entry) return
		entry.bytes += bytes
		this.#bytes += bytes
		this.#shrink()
	}

	/** Drops every value that has one of these tags, and has what is being made now not kept. */
	drop(tags: readonly string[]): void {
		for (const [key, { tags: known, missed }] of this.#flights)
			if (known.some((tag) => tags.includes(tag))) this.#flights.delete(key)
			else for (const tag of tags) missed?.add(tag)
		for (const tag of tags) for (const key of [...(this.#byTag.get(tag) ?? [])]) this.#remove(key)
	}

	/** Drops may be missed from now on: what is there is for {@link getStale} alone, and nothing is kept until {@link reopen}. */
	close(): void {
		this.#open = false
		this.#flights.clear()
		for (const entry of this.#entries.values()) entry.doubtfulSince ??= this.#options.now()
	}

	/** Drops what may have changed unheard, and keeps values again. */
	reopen(): void {
		for (const [key, entry] of [...this.#entries]) if (entry.doubtfulSince !== null) this.#remove(key)
		this.#open = true
	}

	#keep(key: string, tags: readonly string[], value: Value): void {
		const bytes = this.#options.bytesOf(value) + Buffer.byteLength(key) + overhead
		if (!this.#open || bytes > this.#options.maxBytes) return
		this.#remove(key)
		const expiresAt = this.#options.now() + this.#options.maxAge
		this.#entries.set(key, { value, tags, bytes, expiresAt, doubtfulSince: null, used: false })
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
			// Behind all others, where this loop meets it again if there is still no room.
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

/** Pages that were rendered. Only an answer of 200 is kept. */
export class PageCache extends TaggedCache<CacheEntry> {
	constructor(options: Pick<CacheOptions<CacheEntry>, 'maxBytes' | 'maxAge' | 'now'>) {
		super({
			...options,
			bytesOf: ({ br }) => br.length,
			// What is gone is shown to nobody any more; a fault of the site says nothing of the page.
			fateOf: ({ status }) => (status === 200 ? 'keep' : status < 500 ? 'remove' : 'pass'),
		})
	}
}

/** Rows that were read. */
export class DataCache extends TaggedCache<unknown> {
	readonly #keeps: boolean

	/** @param maxBytes that all rows together may take, about; with 0 each call reads */
	constructor(maxBytes: number, maxAge: number, now?: () => number) {
		super({
			maxBytes,
			maxAge,
			...(now && { now }),
			bytesOf: (value) => 2 * JSON.stringify(value).length,
			fateOf: (value) => (value === undefined ? 'pass' : 'keep'),
		})
		this.#keeps = maxBytes > 0
	}

	/** As {@link TaggedCache.fill}, with everything in the value frozen. */
	read<Value>(
		key: string,
		tags: readonly string[],
		read: () => Promise<Value>,
		tagsOf?: (value: Value) => readonly string[],
	): Promise<Value> {
		if (!this.#keeps) return read()
		const others = tagsOf && ((value: unknown) => tagsOf(value as Value))
		return this.fill(key, tags, async () => frozen(await read()), others) as Promise<Value>
	}
}

function frozen<Value>(value: Value): Value {
	if (typeof value !== 'object' || value === null || Object.isFrozen(value)) return value
	for (const part of Object.values(value)) frozen(part)
	return Object.freeze(value)
}
