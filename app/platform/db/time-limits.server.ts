/*
 * How long the site waits for PostgreSQL, in milliseconds. A request waits for a connection, then for its statements, and has to be
 * answered within 10 s. PostgreSQL's own limits do not work while it is suspended, so each is backed by one of ours.
 */

/** For a free connection of the pool, or a new one. */
export const CONNECTION_TIMEOUT_MS = 3_000
/** For a statement of a request; enforced by PostgreSQL. The slowest page at a million rows takes 0.4 s (bench/RESULTS.md). */
export const STATEMENT_TIMEOUT_MS = 6_000
/** For a lock on a row or table; enforced by PostgreSQL. */
export const LOCK_TIMEOUT_MS = 4_000
/** For an idle transaction, which holds its locks; PostgreSQL ends the connection. */
export const IDLE_IN_TRANSACTION_TIMEOUT_MS = 15_000
/** For an answer to a statement of a request; then we end the connection ourselves. */
export const CLIENT_TIMEOUT_MS = 7_000

/** Silence after which we probe PostgreSQL on a new connection. */
export const SILENCE_BEFORE_PROBE_MS = 1_000
/**
 * For the answer to a probe, on a new connection with a password. After two unanswered probes the database is unavailable. A
 * shorter limit would mistake a machine with ten times its load for an outage.
 */
export const PROBE_TIMEOUT_MS = 2_500
/** Between two probes while the database is unavailable. */
export const PROBE_INTERVAL_MS = 500

/** For a statement of a job, an import or a sweep; enforced by PostgreSQL. */
export const LONG_STATEMENT_TIMEOUT_MS = 30 * 60_000
/** For a lock of long work, such as that of another process which adds the demo content. */
export const LONG_LOCK_TIMEOUT_MS = 10 * 60_000
/** Between two checks whether PostgreSQL still works on a statement of long work, for as long as it is unanswered. */
export const LOST_CHECK_MS = 10_000
/** An unused connection for long work ends after that: its process keeps 6 to 8 MB of its own for plans that are rarely needed. */
export const LONG_IDLE_TIMEOUT_MS = 30_000
/** Between two checks of how long statements have been waiting. */
export const WATCH_INTERVAL_MS = 250

/** TCP keep-alive of an idle connection, as a lost machine sends nothing. */
export const KEEP_ALIVE_MS = 10_000
/**
 * The same by PostgreSQL, as options of a connection. Its own default is two hours, in which the connections of nodes that lost their power
 * or network would leave none for others.
 */
export const SERVER_KEEP_ALIVE = '-c tcp_keepalives_idle=60 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3'
/** Between two checks of a listening connection, which has to answer within half of that. */
export const LISTEN_CHECK_MS = 10_000

/** For scripts and benches: options of `openDatabase` without time limits. */
export const NO_TIME_LIMITS = { statement_timeout: 0, lock_timeout: 0, idle_in_transaction_session_timeout: 0 } as const
