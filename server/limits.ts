/* Time limits of an orderly stop, and limits of connections. They are in one place because each has to leave room for those within it. */

/** Limits of a graceful shutdown, in milliseconds. A process manager should allow a little more than `totalMs`. */
export const shutdownLimits = {
	/** An idle connection is closed after this: its client is unlikely to send a request just now. */
	idleConnectionMs: 1_000,
	/** For running requests, including uploads and slow readers. */
	drainMs: 10_000,
	/** The same when the parent process is gone, so that the next start finds the port and the database free. */
	orphanDrainMs: 1_000,
	/** For any other part: jobs, the bus, the pool. */
	partMs: 3_000,
	/** A worker that has to stop serves until its replacement is ready, but no longer than this. */
	replacementMs: 10_000,
	/** For all workers or nodes together, stopped by their parent: `drainMs`, jobs, the bus, the pool. */
	processMs: 18_000,
	/** For PostgreSQL, which is stopped last and writes its memory to disk. */
	postgresMs: 10_000,
	/** After this the process exits, whatever still runs. */
	totalMs: 30_000,
}

/** Tabs are told to reconnect over time: at most this many per millisecond, all of them within `maxMs`. */
export const reconnectSpread = { perTabMs: 1, maxMs: 3_000 }

/** Limits of connections, in milliseconds unless said otherwise. */
export const connectionLimits = {
	/**
	 * New connections that wait to be accepted. Node accepts one per turn of its event loop, so when thousands of tabs reconnect at once they
	 * wait here. The system drops any beyond the limit, and browsers retry after 1, 3, 7, 15 s. Linux allows 4,096 (`somaxconn`).
	 */
	backlog: 4_096,
	/** From the first byte of a request, or from opening the connection, to the end of the headers. */
	headersMs: 10_000,
	/** From the first byte of a request to the end of its body: 7.5 MB, the maximum, at half a megabit a second. */
	requestMs: 120_000,
	/** For this long a body may be slow; then it needs an average of `minBodyBytesPerSecond`. */
	slowBodyMs: 10_000,
	minBodyBytesPerSecond: 4_096,
	/** A client that reads nothing of a response is disconnected after once to twice this time, as Node checks twice. */
	stalledReaderMs: 15_000,
	/** How long an idle connection is kept open. */
	keepAliveMs: 10_000,
	/** The same behind a proxy: longer than proxies keep theirs (60 s in nginx), so that the proxy closes first and no request is lost. */
	proxyKeepAliveMs: 75_000,
	/**
	 * Open connections of one network address per process, without WebSockets: a campus behind one address has fewer. There is no
	 * such limit behind a proxy, which is one address for everybody.
	 */
	maxPerAddress: 2_000,
	/** Pipelined requests per connection. Browsers and proxies do not pipeline. */
	maxPipelined: 16,
	/** Interval of checks. */
	checkEveryMs: 1_000,
}
