/** A page as it is kept: whole, compressed, with everything that its answer needs. */
export interface CacheEntry {
	status: number
	/** Everything but what depends on the coding. */
	headers: readonly (readonly [string, string])[]
	etag: string
	/** Compressed with Brotli. */
	br: Buffer
	/** The same compressed with gzip, made when somebody first asks for it. */
	gzip?: Buffer
}

interface Entry {
	page: CacheEntry
	tags: readonly string[]
	bytes: number
	expiresAt: number
	/** Since when a drop of it may have been missed; null while drops are heard. */
	doubtfulSince: number | null
	/** Whether it was asked for since it was last passed over. */
	used: boolean
}

interface Flight {
	tags: readonly string[]
	page: Promise<CacheEntry>
}

interface PageCacheOptions {
	/** Bytes that all pages together may take; 0 keeps none. */
	maxBytes: number
	/** Milliseconds after which a page is made anew, whatever happened. */
	maxAge: number
	/** The clock, in milliseconds; one that is never set back. */
	now?: () => number
}

/** A database that goes away takes what tells of drops along, but it may be noticed this much later, in milliseconds. */
const AWAY_TOGETHER_MS = 20_000

/** What a page takes besides its body: key, headers, and the objects around them; measured at about 1,200 bytes. */
const overhead = 1_500

/**
 * Pages by key, at most so many bytes of them. When room is needed, the oldest that nobody asked for lately is given up: a
 * second chance for the others, which costs a hit nothing but a mark. Several requests for a page that is not
 * there make it once. A page that was dropped while it was being made is handed to those who waited and not kept.
 */
export class PageCache {
	readonly #options: Required<PageCacheOptions>
	// A Map hands out its keys in the order of insertion: the first is the oldest.
	readonly #entries = new Map<string, Entry>()
	readonly #byTag = new Map<string, Set<string>>()
	readonly #flights = new Map<string, Flight>()
	#bytes = 0
	/** While false, nothing is kept: a drop elsewhere might not be heard here. */
	#open = true

	constructor({ maxBytes, maxAge, now = () => performance.now() }: PageCacheOptions) {
		this.#options = { maxBytes, maxAge, now }
	}

	/** Bytes that are kept now. */
	get bytes(): number {
		return this.#bytes
	}

	/** How many pages are kept now. */
	get size(): number {
		return this.#entries.size
	}

	/** The page of this key if it is kept and fresh. */
	get(key: string): CacheEntry | undefined {
		const entry = this.#entries.get(key)
		if (!entry) return undefined
		if (entry.doubtfulSince !== null || entry.expiresAt <= this.#options.now()) return undefined
		entry.used = true
		return entry.page
	}

	/**
	 * The page of this key however old it is, for when none can be made.
	 * @param lasting milliseconds for which that has been so. A page whose drop may have been missed before that is none
	 */
	getStale(key: string, lasting: number): CacheEntry | undefined {
		const entry = this.#entries.get(key)
		if (!entry) return undefined
		const since = this.#options.now() - lasting - AWAY_TOGETHER_MS
		if (entry.doubtfulSince !== null && entry.doubtfulSince < since) return undefined
		entry.used = true
		return entry.page
	}

	/**
	 * The page of this key, made by `make` unless it is there or being made already. Only an answer of 200 is kept.
	 * @param tags what the page shows; dropping one of them drops the page
	 * @throws whatever `make` throws, to everybody who waits for it
	 */
	fill(key: string, tags: readonly string[], make: () => Promise<CacheEntry>): Promise<CacheEntry> {
		const kept = this.get(key)
		if (kept) return Promise.resolve(kept)
		const running = this.#flights.get(key)
		if (running) return running.page
		// What was begun while drops could not be heard may be older than one of them.
		const keeps = this.#open
		const flight: Flight = { tags, page: make() }
		this.#flights.set(key, flight)
		const landed = () => this.#flights.get(key) === flight && this.#flights.delete(key)
		flight.page.then(
			(page) => {
				if (!landed()) return
				if (keeps && page.status === 200) this.#keep(key, tags, page)
				// What is gone is shown to nobody any more; a fault of the site says nothing of the page.
				else if (page.status < 500) this.#remove(key)
			},
			() => landed(),
		)
		return flight.page
	}

	/** Tells that a page grew, by the compression that somebody asked for. */
	grew(key: string, bytes: number): void {
		const entry = this.#entries.get(key)
		if (!entry) return
		entry.bytes += bytes
		this.#bytes += bytes
		this.#shrink()
	}

	/** Drops every page that has one of these tags, and has what is being made now not kept. */
	drop(tags: readonly string[]): void {
		for (const [key, flight] of this.#flights)
			if (flight.tags.some((tag) => tags.includes(tag))) this.#flights.delete(key)
		for (const tag of tags) for (const key of [...(this.#byTag.get(tag) ?? [])]) this.#remove(key)
	}

	/** Drops may be missed from now on: what is there is for {@link getStale} alone, and nothing is kept until {@link reopen}. */
	close(): void {
		this.#open = false
		this.#flights.clear()
		for (const entry of this.#entries.values()) entry.doubtfulSince ??= this.#options.now()
	}

	/** Drops what may have changed unheard, and keeps pages again. */
	reopen(): void {
		for (const [key, entry] of [...this.#entries]) if (entry.doubtfulSince !== null) this.#remove(key)
		this.#open = true
	}

	#keep(key: string, tags: readonly string[], page: CacheEntry): void {
		const bytes = page.br.length + Buffer.byteLength(key) + overhead
		if (!this.#open || bytes > this.#options.maxBytes) return
		this.#remove(key)
		const expiresAt = this.#options.now() + this.#options.maxAge
		this.#entries.set(key, { page, tags, bytes, expiresAt, doubtfulSince: null, used: false })
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
