import { isIPv6 } from 'node:net'
import { hasSeveralProcesses } from '~/config.server.ts'
import { batchCalls } from '~/lib/batch-calls.ts'
import { isId } from '~/lib/checks.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import { log } from '~/lib/log.server.ts'
import { remember } from '~/lib/remember.ts'
import { requestScope } from '~/lib/request-scope.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { openBus, publish } from '~/platform/bus/bus.server.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { closeEndedSessions } from '~/platform/realtime/presence.server.ts'
import { deviceOf } from './devices.server.ts'
import { recordSecurityEvent } from './security-log.server.ts'
import { SessionRegister } from './session-register.ts'
import {
	deleteChallenges,
	deleteExpiredSessions,
	deleteOldRevocations,
	deleteSession,
	deleteSessionByToken,
	deleteSessions,
	deleteSurplusSessions,
	deleteTokens,
	findUsername,
	listSessionRows,
	listSessionsByToken,
	lockSession,
	markAbsent,
	readRevocations,
} from './sessions.queries.server.ts'
import type { SessionView } from './sessions.view.ts'

/** Lifetimes of a session in seconds. The database enforces the absolute limit of 90 days: see the trigger `sessions_life`. */
export const sessionTimes = {
	/** Without use. */
	idle: 30 * 86_400,
	/** Between two renewals through use. */
	extension: 86_400,
	/** A signed cookie is trusted for this long, unless a change of its member is announced. */
	cookie: 300,
} as const

/** Sessions per account; a new one ends the least recently used one. */
const MAX_SESSIONS = 50

/** The channel on which processes announce changed sessions to each other. */
const channel = 'devquad_sessions'

/**
 * The age in seconds up to which changes are read from the database: twice the lifetime of a signed cookie, so that
 * clocks may differ by minutes.
 */
const REVOCATION_WINDOW = 2 * sessionTimes.cookie

/**
 * Milliseconds between two reads of the database. They find changes that were never announced: the process died before
 * it could, or a row was changed manually.
 */
const REREAD_MS = 5_000

const register = remember('session-register', () => new SessionRegister())

/** The version that a signed cookie of this member must carry, see {@link SessionRegister.versionOf}. Needs no query. */
export function cookieVersionOf(userId: number): string {
	const scope = requestScope()
	if (scope?.trustsLastKnown) return register.lastKnownVersionOf(userId)
	// Outside a request the start of the work is unknown, so every recent change counts as later.
	return register.versionOf(userId, scope?.startedAt ?? 0)
}

/**
 * Within this work of a request, signed cookies are trusted as far as this process knows, although it may have missed a
 * change. Only for the name in the header while the database is unavailable.
 */
export async function withLastKnownSessions<Result>(work: () => Promise<Result>): Promise<Result> {
	const scope = requestScope()
	if (!scope) return work()
	scope.trustsLastKnown = true
	try {
		return await work()
	} finally {
		scope.trustsLastKnown = false
	}
}

/**
 * Subscribes to changed sessions. Before that, and while the bus is unavailable, no signed cookie is trusted, and each
 * request looks up its session.
 * @returns a function that unsubscribes
 * @throws Error if the bus or the database cannot be reached
 */
export async function listenForRevocations(): Promise<() => Promise<void>> {
	const stop = hasSeveralProcesses()
		? await openBus(channel, {
				onMessage: (text) => onChangeAnnounced(Number(text)),
				onLost: () => register.stopListening(),
				onBack: () => {
					register.startListening()
					rereadQuietly()
				},
			})
		: async () => {}
	register.startListening()
	await reread()
	const timer = setInterval(rereadQuietly, REREAD_MS).unref()
	return async () => {
		clearInterval(timer)
		register.stopListening()
		await stop()
	}
}

/**
 * Announces to all processes that signed cookies of this member are stale: sessions ended, or the role, name or picture
 * changed. Call it after the commit. Never throws: a process that misses it reads the change from the database within
 * seconds.
 */
export async function announceAccountChange(userId: number): Promise<void> {
	onChangeAnnounced(userId)
	if (!hasSeveralProcesses()) return
	try {
		await publish(channel, String(userId))
	} catch (error) {
		log.warn({ err: error }, 'other processes could not be notified of changed sessions')
	}
}

/**
 * Announces to all processes that sessions of this member ended, and closes their sockets. Call it after the commit.
 * @param username if known; otherwise it is looked up
 * @param renewed a session that continues under another token: its sockets are closed too
 */
export async function announceEndedSessions(userId: number, username?: string, renewed?: number): Promise<void> {
	const [name] = await Promise.all([username ?? findUsername(userId), announceAccountChange(userId)])
	if (name !== undefined) await closeEndedSessions({ id: userId, username: name }, renewed)
}

/**
 * Ends all sessions, access tokens and unfinished logins of a member, within the caller's transaction. Call
 * {@link announceEndedSessions} after the commit.
 */
export async function endAllAccess(executor: Executor, userId: number): Promise<void> {
	await deleteChallenges(userId, executor)
	await deleteSessions(userId, null, executor)
	await deleteTokens(userId, executor)
}

/**
 * Ends all sessions and unfinished logins of a member, within the caller's transaction. Access tokens and private feeds rest until the
 * member logs in again. Call {@link announceEndedSessions} after the commit.
 */
export async function endAccessUntilLogin(executor: Executor, userId: number): Promise<void> {
	await deleteChallenges(userId, executor)
	await deleteSessions(userId, null, executor)
	await markAbsent(userId, executor)
}

/**
 * The valid session with this token and its member, read from the database; undefined for none. Concurrent lookups, as when thousands of
 * tabs reconnect, share one statement.
 */
export const findSessionByToken = batchCalls(async (tokens: string[]) => {
	const found = await listSessionsByToken(tokens, sessionTimes.idle - sessionTimes.extension)
	const sessions = new Map(found.map((session) => [session.token, session]))
	return tokens.map((token) => sessions.get(token))
})

export const SESSION_ENDED = 'This session has ended. Log in again.'

/**
 * Requires that the session of this request, which `requireSession` has found, still exists, and keeps it until the transaction ends. So
 * whoever ends all access of an account finds what was added to it meanwhile. Call it once the account is locked.
 * @throws NotAllowed when it has ended
 */
export async function requireStandingSession(trx: Executor): Promise<void> {
	const id = requestScope()?.sessionId ?? null
	if (id !== null && !(await lockSession(trx, id))) throw new NotAllowed(SESSION_ENDED)
}

/**
 * After a login, ends the browser's previous session, and the least recently used one if there are too many.
 * @param before the token that the request carried, if any
 * @param now the session that has just started
 */
export async function endReplacedSessions(
	before: string | null,
	now: { token: string; userId: number },
): Promise<void> {
	const replaced = before !== null && before !== now.token ? await deleteSessionByToken(before) : null
	if (replaced) {
		await announceEndedSessions(replaced.userId)
		await recordSecurityEvent('logout', { userId: replaced.userId, detail: { reason: 'new login' } })
	}
	const surplus = await deleteSurplusSessions(now.userId, MAX_SESSIONS)
	if (surplus === 0) return
	await announceEndedSessions(now.userId)
	await recordSecurityEvent('session-revoked', { userId: now.userId, detail: { reason: 'too many sessions' } })
}

/**
 * A member's sessions, most recently used first.
 * @param currentId the session of this request
 */
export async function listSessions(viewer: SignedIn, currentId: number): Promise<SessionView[]> {
	const rows = await listSessionRows(viewer.id)
	return rows.map((row) => ({
		id: row.id,
		device: deviceOf(row.user_agent ?? ''),
		address: shownAddress(row.ip_address ?? ''),
		createdAt: row.created_at.toISOString(),
		seenAt: row.updated_at.toISOString(),
		current: row.id === currentId,
	}))
}

/** An address as members know it: of IPv6, only the network is stored, with all its zeros. */
function shownAddress(address: string): string {
	return isIPv6(address) ? `${new URL(`http://[${address}]`).hostname.slice(1, -1)}/64` : address
}

/** Ends one of the member's sessions. @throws NotFound if it is not theirs */
export async function revokeSession(viewer: SignedIn, id: number): Promise<void> {
	if (!isId(id) || !(await deleteSession(viewer.id, id))) throw new NotFound('This session has already ended.')
	await announceEndedSessions(viewer.id, viewer.username)
	await recordSecurityEvent('session-revoked', { userId: viewer.id })
}

/** Ends the member's other sessions. @param currentId the session of this request */
export async function revokeOtherSessions(viewer: SignedIn, currentId: number): Promise<void> {
	await deleteSessions(viewer.id, currentId)
	await announceEndedSessions(viewer.id, viewer.username)
	await recordSecurityEvent('session-revoked', { userId: viewer.id, detail: { all: true } })
}

/** Deletes expired sessions and old records of changes; call it regularly. */
export async function sweepSessions(): Promise<void> {
	await deleteExpiredSessions()
	await deleteOldRevocations()
}

function onChangeAnnounced(userId: number): void {
	register.invalidate(userId)
	rereadQuietly()
}

let reading: Promise<void> | undefined
let isRereadDue = false

/** A change that is announced during a read is covered by another read after it. */
function rereadQuietly(): void {
	if (reading) {
		isRereadDue = true
		return
	}
	reading = reread()
		// The next read follows within seconds, and until then no cookie of an announced member is trusted; an outage is
		// logged separately.
		.catch((error) => log.debug({ err: error }, 'whose sessions changed could not be read'))
		.finally(() => {
			reading = undefined
			if (!isRereadDue) return
			isRereadDue = false
			rereadQuietly()
		})
}

async function reread(): Promise<void> {
	const step = register.beginRead()
	register.take(await readRevocations(REVOCATION_WINDOW), step, performance.now())
}
