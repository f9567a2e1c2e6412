/*
 * How long the site waits for PostgreSQL, in milliseconds. A request waits for a connection and then for its statements, and
 * has to be answered within 10 s. Those that PostgreSQL enforces do not run while PostgreSQL itself is stopped, so each has
 * one of ours behind it.
 */

/** Until a connection of the pool is free, or a new one stands. */
export const CONNECTION_TIMEOUT_MS = 3_000
/** A statement of a request. PostgreSQL ends it. The slowest page at a million rows takes 0.4 s (bench/RESULTS.md). */
export const STATEMENT_TIMEOUT_MS = 6_000
/** Waiting for a row or table that somebody else holds. PostgreSQL ends it. */
export const LOCK_TIMEOUT_MS = 4_000
/** A transaction in which nothing happens: it holds its locks. PostgreSQL ends the connection. */
export const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000
/** After this long without an answer to a statement of a request, we end the connection ourselves. */
export const CLIENT_TIMEOUT_MS = 7_000

/** After this long without an answer we ask on a connection of its own whether PostgreSQL answers at all. */
export const SILENCE_BEFORE_PROBE_MS = 1_000
/**
 * PostgreSQL may take this long to answer that question, on a new connection with a password. Twice without an answer, it is
 * away. Shorter would take a machine with ten times the work it can do for one without a database.
 */
export const PROBE_TIMEOUT_MS = 2_500
/** While the database is away it is asked this often. */
export const PROBE_INTERVAL_MS = 500

/** A statement of a job, an import or a sweep. PostgreSQL ends it. */
export const LONG_STATEMENT_TIMEOUT_MS = 30 * 60_000
/** Long work waits this long for a lock, such as that of another process which adds the demo content. */
export const LONG_LOCK_TIMEOUT_MS = 10 * 60_000
/** Between two looks at how long statements have been waiting. */
export const WATCH_INTERVAL_MS = 250

/** TCP asks an idle connection for a sign of life after this long, as a lost machine says nothing. */
export const KEEP_ALIVE_MS = 10_000
/** A listening connection is asked for a sign of life this often, and has to give it in half of that. */
export const LISTEN_CHECK_MS = 10_000

/** For scripts and benches, in which nobody waits for an answer: options of `openDatabase` without any limit on statements. */
export const NO_TIME_LIMITS = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 } as const
