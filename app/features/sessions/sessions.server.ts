import { isOneOfSeveral } from '~/config.server.ts'
import { isId } from '~/lib/checks.ts'
import { NotFound } from '~/lib/errors.ts'
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
	deleteExpiredSessions,
	deleteOldRevocations,
	deleteSession,
	deleteSessionByToken,
	deleteSessions,
	deleteSurplusSessions,
	deleteTokens,
	findUsername,
	listSessionRows,
	readRevocations,
} from './sessions.queries.server.ts'
import type { SessionView } from './sessions.view.ts'

/**
 * How long a session lives, in seconds. The absolute life of 90 days is held by the database: see the trigger `sessions_life`.
 */
export const sessionLife = {
	/** Without being used. */
	idle: 30 * 86_400,
	/** Between two renewals by use. */
	extension: 86_400,
	/** For so long a signed cookie is believed, unless a change of its member is announced. */
	cookie: 300,
} as const

/** Sessions that an account may have; a new one ends the one that was used least recently. */
const MAX_SESSIONS = 50

/** The channel on which processes tell each other whose sessions changed. */
const channel = 'devquad_sessions'

/**
 * How far back changes are read from the database, in seconds: twice the life of a signed cookie, so that clocks may differ by
 * minutes.
 */
const REVOCATION_WINDOW = 2 * sessionLife.cookie

/**
 * Milliseconds between two looks at the database. They find what was never announced: the process that made a change died before it
 * could, or somebody changed a row by hand.
 */
const REREAD_MS = 5_000

const register = remember('session-register', () => new SessionRegister())

/** The version that a signed cookie of this member must carry: see {@link SessionRegister.versionOf}. Costs no query. */
export function cookieVersionOf(userId: number): string {
	const scope = requestScope()
	if (scope?.trustsLastKnown) return register.lastKnownVersionOf(userId)
	// Outside a request nothing says when the work began, so every recent change counts as one that came later.
	return register.versionOf(userId, scope?.startedAt ?? 0)
}

/**
 * Runs work of this request in which a signed cookie is believed as far as this process knows, though it may have missed a
 * change. For the name in the header while the database is away, and for nothing else.
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
 * Begins to listen for changed sessions. Until then, and whenever the bus is away, no signed cookie is believed
 * and every request looks its session up.
 * @returns what stops it
 * @throws Error when the bus or the database cannot be reached
 */
export async function listenForRevocations(): Promise<() => Promise<void>> {
	const stop = isOneOfSeveral()
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
 * Tells every process that signed cookies of this member are out of date: sessions ended, or the role, name or picture changed.
 * To be called after the commit. It never throws: a process that misses it finds out from the database within seconds.
 */
export async function announceAccountChange(userId: number): Promise<void> {
	onChangeAnnounced(userId)
	if (!isOneOfSeveral()) return
	try {
		await publish(channel, String(userId))
	} catch (error) {
		log.warn({ err: error }, 'other processes could not be told whose sessions changed')
	}
}

/**
 * Tells every process that sessions of this member ended, and closes their sockets. To be called after the commit.
 * @param username where it is known; else it is looked up
 */
export async function announceEndedSessions(userId: number, username?: string): Promise<void> {
	const [name] = await Promise.all([username ?? findUsername(userId), announceAccountChange(userId)])
	if (name !== undefined) await closeEndedSessions({ id: userId, username: name })
}

/**
 * Ends every session and every access token of a member, in the caller's transaction.
 * Call {@link announceEndedSessions} after the commit.
 */
export async function endAllAccess(executor: Executor, userId: number): Promise<void> {
	await deleteSessions(userId, null, executor)
	await deleteTokens(userId, executor)
}

/**
 * After a login: the session that the browser held before ends, and the one used least recently when there are too many.
 * @param before the token that the request carried, if any
 * @param now the session that has just begun
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
 * Where this member is logged in, the most recently used first.
 * @param currentId the session that asks
 */
export async function listSessions(viewer: SignedIn, currentId: number): Promise<SessionView[]> {
	const rows = await listSessionRows(viewer.id)
	return rows.map((row) => ({
		id: row.id,
		device: deviceOf(row.user_agent ?? ''),
		address: row.ip_address ?? '',
		createdAt: row.created_at.toISOString(),
		seenAt: row.updated_at.toISOString(),
		current: row.id === currentId,
	}))
}

/** Logs one of the member's sessions out. @throws NotFound when it is not theirs */
export async function revokeSession(viewer: SignedIn, id: number): Promise<void> {
	if (!isId(id) || !(await deleteSession(viewer.id, id))) throw new NotFound('This session has already ended.')
	await announceEndedSessions(viewer.id, viewer.username)
	await recordSecurityEvent('session-revoked', { userId: viewer.id })
}

/** Logs the member out everywhere but here. @param currentId the session that asks */
export async function revokeOtherSessions(viewer: SignedIn, currentId: number): Promise<void> {
	await deleteSessions(viewer.id, currentId)
	await announceEndedSessions(viewer.id, viewer.username)
	await recordSecurityEvent('session-revoked', { userId: viewer.id, detail: { all: true } })
}

/** Deletes sessions that have expired, and old records of changes; to be called regularly. */
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

/** A change that is announced during a read is read once more, after that. */
function rereadQuietly(): void {
	if (reading) {
		isRereadDue = true
		return
	}
	reading = reread()
		// The next look is seconds away, and no cookie of an announced member is believed until then; an outage has its own line.
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
