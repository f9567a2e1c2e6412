/*
 * How long an orderly stop may take, and what a connection may do. The figures stand beside each other because each has to
 * leave room for those that it contains.
 */

/** Time limits of an orderly stop, in milliseconds. Whoever stops the site from outside should allow a little more than `totalMs`. */
export const stopLimits = {
	/** A connection that asked for nothing for so long is closed. Its reader is most likely not about to ask again just now. */
	idleConnectionMs: 1_000,
	/** Requests under way may take so long to end, uploads and slow readers included. */
	drainMs: 10_000,
	/** The same where whatever started this process is gone, so that the next start finds the port and the database free. */
	orphanDrainMs: 1_000,
	/** Any other part: jobs, the bus, the pool. */
	partMs: 3_000,
	/** A worker that shall stop serves until another one serves in its place, but no longer than this. */
	replacementMs: 10_000,
	/** All workers or nodes together, stopped by who started them: `drainMs`, jobs, the bus, the pool. */
	processMs: 18_000,
	/** PostgreSQL, which is stopped last and writes what it holds to disk. */
	postgresMs: 10_000,
	/** After this the process ends, whatever still runs. */
	totalMs: 30_000,
}

/** Tabs are told to come back at no more than so many a millisecond, and all of them within `maxMs`. */
export const reconnectSpread = { perTabMs: 1, maxMs: 3_000 }

/** What a connection may do. Milliseconds, where nothing else is said. */
export const connectionLimits = {
	/**
	 * New connections that wait to be accepted. Node accepts one in each turn of its loop, so that thousands of tabs that come back at once
	 * wait here; the system drops what is beyond it, and the browser tries again after 1, 3, 7, 15 s. Linux allows 4,096 (`somaxconn`).
	 */
	backlog: 4_096,
	/** From the first byte of a request, or from opening the connection, to the end of the headers. */
	headersMs: 10_000,
	/** From the first byte of a request to the end of its body: 7.5 MB, the most that is taken, at half a megabit a second. */
	requestMs: 120_000,
	/** A body may be slow for so long; after that it must have come at `minBodyBytesPerSecond` on average. */
	slowBodyMs: 10_000,
	minBodyBytesPerSecond: 4_096,
	/** A reader who takes no byte of an answer is cut off after so long, or twice as long: Node looks twice whether any was taken. */
	stalledReaderMs: 15_000,
	/** How long an open connection waits for the next request. */
	keepAliveMs: 10_000,
	/** The same behind a proxy: longer than proxies keep theirs (60 s in nginx), so that it is they who close and no request is lost. */
	proxyKeepAliveMs: 75_000,
	/**
	 * Open connections of one network address at one process, WebSockets not counted: a campus behind one address has fewer.
	 * Behind a proxy, which is one address for everybody, there is no such limit.
	 */
	maxPerAddress: 2_000,
	/** Requests on one connection that wait for their answers. Browsers and proxies send the next one after the answer. */
	maxPipelined: 16,
	/** How often all this is looked at. */
	checkEveryMs: 1_000,
}
