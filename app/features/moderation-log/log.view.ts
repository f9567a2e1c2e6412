import { caseUrl, type ModeratedMemberView } from '~/features/moderation/moderation.view.ts'
import type { LogRow } from './log.queries.server.ts'

/* The log of what moderators and admins did. Times are ISO 8601 strings in UTC, days `YYYY-MM-DD` in the site's time zone. */

export const logPath = '/moderation/log'
export const logCsvPath = '/moderation/log.csv'

/** What a list of the log is restricted to; '' for anything. */
export interface LogFilters {
	/** A username: what they did and what was done to them. */
	member: string
	/** The name of an action, as the log has it. */
	act: string
	/** The first and the last day. */
	from: string
	to: string
}

export interface LogView {
	id: number
	at: string
	actor: ModeratedMemberView
	act: string
	/** The name of the subject's type. */
	kind: string
	/** The author of the subject, or the member concerned. */
	member: ModeratedMemberView
	/** Its title, and the address of its case. */
	title: string
	caseUrl: string
	why: string
	/** Details of the action: until when, into which question. */
	note: string
}

/** An entry of the moderation log, for readers. */
export function presentLog(row: LogRow): LogView {
	return {
		id: row.id,
		at: row.at,
		actor: { username: row.actor_username, name: row.actor_name, image: row.actor_image },
		act: row.act,
		kind: row.kind,
		member: { username: row.member_username, name: row.member_name, image: row.member_image },
		title: row.title,
		caseUrl: caseUrl(row.kind, row.target_id, row.member_username),
		why: row.why,
		note: row.note,
	}
}
