import { z } from 'zod'
import { isDay } from '~/lib/checks.ts'
import { type Operation, operation, portrait, requireCaller } from '~/platform/http/operation.ts'
import { listLog, readLogFilters } from './log.server.ts'
import type { LogView } from './log.view.ts'

/* The moderation log as JSON. */

const time = z.string().meta({ format: 'date-time' })
/** A day that {@link readLogFilters} knows, which ignores others. */
const day = z.iso.date().refine(isDay, 'Enter a day of this century or the last one.')
const member = z.object({ username: z.string(), name: z.string(), image: portrait })

const logEntry = z.object({
	id: z.int(),
	at: time,
	actor: member,
	act: z.string(),
	kind: z.string().describe('What it was done to: as of a case, or `term`.'),
	member: member.describe('The member concerned.'),
	title: z.string(),
	caseUrl: z.string(),
	why: z.string(),
	note: z.string(),
}) satisfies z.ZodType<LogView, LogView>

const logList = z.object({
	rows: z.array(logEntry),
	next: z.string().nullable().describe('The cursor of the next page; null at the end.'),
})

/** The schema names in the OpenAPI description. */
export const logShapes = { LogEntry: logEntry, LogList: logList }

export const logOperations: readonly Operation[] = [
	operation({
		id: 'listLog',
		group: 'Moderation',
		method: 'get',
		path: '/moderation/log',
		summary: 'Read the moderation log',
		description: 'For admins. Newest first.',
		access: 'members',
		staff: true,
		query: {
			member: z.string().max(60).default('').describe('A username: what they did and what was done to them.'),
			act: z.string().max(60).default('').describe('Only this action, as in `act` of an entry.'),
			from: day.optional().describe('The first day, in the time zone of the site.'),
			to: day.optional().describe('The last day.'),
			cursor: z.string().max(400).optional().describe('Where the page before ended: its `next`.'),
		},
		answer: logList,
		refusals: [422],
		run: async (call) => {
			const { cursor, ...filters } = call.query
			const sent = new Map<string, unknown>(Object.entries(filters))
			return listLog(requireCaller(call), { ...readLogFilters(sent), cursor: cursor ?? null })
		},
	}),
]
