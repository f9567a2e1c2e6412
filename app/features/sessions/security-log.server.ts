import { log } from '~/lib/log.server.ts'
import { requestScope } from '~/lib/request-scope.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { deviceOf } from './devices.server.ts'
import { deleteSurplusEvents, insertSecurityEvent, listSecurityEventRows } from './security-log.queries.server.ts'
import { type SecurityEventKind, type SecurityEventView, securityEventTexts } from './sessions.view.ts'

/** Events that a member sees of their account. */
const MAX_SHOWN = 50
/** Events of one member that are stored. For how many days is a setting; the operator decides how long the process's log is stored. */
const MAX_STORED = 500
/** What a program can cause many times a second. */
const repeatable: readonly SecurityEventKind[] = ['rate-limited', 'refused']

/**
 * Records what concerns the safety of an account or of the site: one line in the process's log, and a row that the member sees
 * where there is one. Call it after the commit of what it tells of. It never throws: a row that cannot be written is logged.
 * @param facts.userId whose account it is about; null or left out when nobody's
 * @param facts.detail what else helps an investigation; no address, e-mail, name, user agent or secret
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
	// What a moderator or an admin did to a member does not show the member from which device.
	const isOthers = scope?.userId != null && scope.userId !== userId
	const device = scope?.userAgent && !isOthers ? deviceOf(scope.userAgent) : ''
	try {
		await insertSecurityEvent({ userId, kind, requestId, device }, repeatable.includes(kind))
	} catch (error) {
		log.error({ err: error, event: kind, userId }, 'a security event could not be stored')
	}
}

/** The member's last 50 events, newest first. */
export async function listSecurityEvents(viewer: SignedIn): Promise<SecurityEventView[]> {
	const rows = await listSecurityEventRows(viewer.id, MAX_SHOWN)
	return rows.map(({ id, kind, device, at }) => ({
		id,
		text: securityEventTexts[kind as SecurityEventKind] ?? kind,
		device,
		at: at.toISOString(),
	}))
}

/** Deletes events beyond 500 a member; to be called regularly. */
export function sweepSecurityLog(): Promise<void> {
	return deleteSurplusEvents(MAX_STORED)
}
