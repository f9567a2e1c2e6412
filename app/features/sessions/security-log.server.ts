import { log } from '~/lib/log.server.ts'
import { requestScope } from '~/lib/request-scope.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { deviceOf } from './devices.server.ts'
import { deleteSurplusEvents, insertSecurityEvent, listSecurityEventRows } from './security-log.queries.server.ts'
import { adminEventTexts, type SecurityEventKind, type SecurityEventView, securityEventTexts } from './sessions.view.ts'

/** How the stored kind of an event ends that an admin caused. */
const BY_ADMIN = ' by an admin'
/** Events that a member can see. */
const MAX_SHOWN = 50
/** Events stored per member. Their maximum age is a setting; how long the process log is kept is up to the operator. */
const MAX_STORED = 500
/** Kinds that a program can cause many times a second. */
const repeatable: readonly SecurityEventKind[] = ['rate-limited', 'refused']
/** Kinds that another server causes by a request of its own. */
const byServers: readonly SecurityEventKind[] = ['provider-logout']

/**
 * Records a security event of an account or of the site: a line in the process log, and, for an account, a row that its
 * member can see. Call it after the commit of the event's cause. Never throws: a row that cannot be stored is logged.
 * @param facts.userId the account; null or omitted if there is none
 * @param facts.detail further data for an investigation, with the admin who caused it as `by`; no address, e-mail, name, user agent or
 * secret
 */
export async function recordSecurityEvent(
	kind: SecurityEventKind,
	facts: { userId?: number | null; detail?: Record<string, string | number | boolean> } = {},
): Promise<void> {
	const { userId = null, detail = {} } = facts
	const scope = requestScope()
	const requestId = scope?.requestId ?? ''
	log.info({ ...detail, event: kind, userId, requestId }, 'security event')
	if (userId === null) return
	// Members must not see which device a moderator or an admin used, nor take a server for a device of theirs.
	const isOthers = (scope?.userId != null && scope.userId !== userId) || byServers.includes(kind)
	const device = scope?.userAgent && !isOthers ? deviceOf(scope.userAgent) : ''
	try {
		const isAdmins = detail.by !== undefined && Object.hasOwn(adminEventTexts, kind)
		const stored = isAdmins ? kind + BY_ADMIN : kind
		await insertSecurityEvent({ userId, kind: stored, requestId, device }, repeatable.includes(kind))
	} catch (error) {
		log.error({ err: error, event: kind, userId }, 'a security event could not be stored')
	}
}

/** The member's last 50 events, newest first. */
export async function listSecurityEvents(viewer: SignedIn): Promise<SecurityEventView[]> {
	const rows = await listSecurityEventRows(viewer.id, MAX_SHOWN)
	return rows.map(({ id, kind, device, at }) => ({
		id,
		text: textOf(kind),
		device,
		at: at.toISOString(),
	}))
}

function textOf(stored: string): string {
	const kind = stored.replace(BY_ADMIN, '') as SecurityEventKind
	return (stored === kind ? securityEventTexts[kind] : adminEventTexts[kind]) ?? kind
}

/** Deletes each member's events beyond the newest 500; call it regularly. */
export function sweepSecurityLog(): Promise<void> {
	return deleteSurplusEvents(MAX_STORED)
}
