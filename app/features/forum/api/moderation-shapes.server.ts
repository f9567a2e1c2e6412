import { z } from 'zod'
import { author, next, time } from '~/features/questions/api/shapes.server.ts'
import { limits } from '../moderation/moderation.limits.ts'
import { type CaseView, type LogView, reasons, suspensionTimes } from '../moderation/moderation.present.ts'

/* What the API takes and tells of moderation. */

const kind = z.enum(['query', 'comment', 'profile'])
const act = z.enum([
	'approve',
	'refuse',
	'hide',
	'restore',
	'dismiss',
	'lock',
	'unlock',
	'merge',
	'clean',
	'suspend',
	'lift',
])

const extractLine = z.object({
	sender: z.string(),
	body: z.string(),
	sentAt: time,
	pictures: z
		.array(z.object({ path: z.string(), width: z.int(), height: z.int(), alt: z.string() }))
		.describe('Shown to moderators on the site, at `/media/{path}-640.webp`.'),
})

const report = z.object({
	reporter: author,
	reason: z.enum(reasons.map(({ value }) => value)),
	details: z.string(),
	createdAt: time,
	extracts: z
		.array(z.array(extractLine))
		.describe('Reported messages, each the last of its list, with what stood before.'),
})

export const moderationCase = z.object({
	kind,
	id: z.int(),
	caseUrl: z.string().describe('Path of the case.'),
	url: z.string().describe('Path of the post or profile.'),
	title: z.string(),
	html: z.string().describe('Its text, sanitized; empty for a profile.'),
	beginning: z.string().describe('The beginning of its source.'),
	print: z.string().describe('Identifies the text as you read it; empty for a profile.'),
	author,
	createdAt: time,
	state: z.enum(['visible', 'hidden', 'waiting', 'merged', 'gone']),
	withheldReason: z.string(),
	locked: z.boolean(),
	suspendedUntil: z
		.string()
		.nullable()
		.describe('Until when its author is suspended; `infinity` if permanently, null if not.'),
	acts: z.array(act).describe('What you can do now.'),
	parts: z
		.array(z.object({ value: z.string(), label: z.string(), beginning: z.string() }))
		.describe('What `clean` can remove of a profile; empty in a list.'),
	reportCount: z.int().describe('Open reports.'),
	waits: z.boolean(),
	reports: z.array(report).describe('The newest open ones; five in a list.'),
}) satisfies z.ZodType<CaseView, CaseView>

const logEntry = z.object({
	id: z.int(),
	at: time,
	actor: author,
	act: z.string(),
	kind,
	member: author.describe('The member concerned.'),
	title: z.string(),
	caseUrl: z.string(),
	why: z.string(),
	note: z.string(),
}) satisfies z.ZodType<LogView, LogView>

export const caseList = z.object({ rows: z.array(moderationCase), next })
export const logList = z.object({ rows: z.array(logEntry), next })

export const judgement = z.strictObject({
	act,
	why: z
		.string()
		.max(limits.whyMax)
		.optional()
		.describe('Needed for all but `approve`, `restore`, `unlock`, `dismiss` and `lift`.'),
	seen: z
		.string()
		.max(64)
		.optional()
		.describe('The `print` that you read. 409 when its author changed the text since.'),
	time: z.enum(suspensionTimes).optional().describe('With `suspend`: for how long.'),
	part: z.string().max(60).optional().describe('With `clean`: the `value` of one of the `parts`.'),
	into: z.string().optional().describe('With `merge`: the id or the address of the other query.'),
})
export const judged = z.object({ done: z.string().describe('What was done, as a sentence.') })

export const newRole = z.strictObject({ role: z.enum(['member', 'moderator']) })

export const moderationShapes = {
	Case: moderationCase,
	CaseList: caseList,
	LogEntry: logEntry,
	LogList: logList,
	Judgement: judgement,
	Judged: judged,
	NewRole: newRole,
}
