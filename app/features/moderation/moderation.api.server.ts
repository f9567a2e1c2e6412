import { z } from 'zod'
import { messagePictureSize, type Operation, operation, portrait, requireCaller } from '~/platform/http/operation.ts'
import { decideCase } from './decisions.server.ts'
import { addNote, assignCase } from './handling/handling.server.ts'
import { setModeratorRole } from './members.server.ts'
import { moderationLimits } from './moderation.limits.ts'
import { type Act, assigneeFilters, reasons, subjectActs, suspensionDurations } from './moderation.policy.ts'
import type { CaseView } from './moderation.view.ts'
import { getCase, listCases } from './queue.server.ts'
import { reportSubject as sendReport } from './reports.server.ts'
import { subjectTypeNames } from './subjects.server.ts'

/* Moderation as JSON: its input and output, and the use cases of its pages. */

const time = z.string().meta({ format: 'date-time' })
const next = z.string().nullable().describe('The cursor of the next page; null at the end.')
const cursor = z.string().max(400).optional().describe('Where the page before ended: its `next`.')
const author = z.object({
	username: z.string(),
	name: z.string(),
	image: portrait,
})

/** Subject types are registered at the start, after this file is loaded, so the description lists them when it is made. */
const subjectType = z
	.string()
	.refine((name) => subjectTypeNames().includes(name), 'There is no such kind.')
	.meta({
		get enum() {
			return subjectTypeNames()
		},
	})

const act = z.enum([...subjectActs, 'dismiss', 'suspend', 'lift'] satisfies Act[])

const newReport = z.strictObject({
	reason: z
		.string()
		.max(60)
		.describe(
			'`spam`, `off-topic`, `abusive` or `other`, or one that the site offers: its words in lower case, with dashes.',
		),
	details: z.string().max(moderationLimits.detailsMax).optional().describe('Needed where the reason is `other`.'),
})

const extractLine = z.object({
	sender: z.string(),
	body: z.string(),
	sentAt: time,
	pictures: z
		.array(z.object({ path: z.string(), width: z.int(), height: z.int(), alt: z.string() }))
		.describe(`Shown to moderators on the site, at ${messagePictureSize}.`),
})

const report = z.object({
	reporter: author,
	reason: z.enum(reasons.map(({ value }) => value)).describe('Of one of the site: `other`.'),
	reasonLabel: z.string().describe('The reason in words, as it was offered then.'),
	details: z.string(),
	createdAt: time,
	extracts: z
		.array(z.array(extractLine))
		.describe('Reported messages, each the last of its list, with what stood before.'),
})

const moderationCase = z.object({
	kind: subjectType,
	id: z.int(),
	caseUrl: z.string().describe('Path of the case.'),
	url: z.string().describe('Path of the post or profile.'),
	title: z.string(),
	html: z.string().describe('Its text, sanitized; empty for a profile.'),
	beginning: z.string().describe('The beginning of its source.'),
	print: z.string().describe('Identifies the text as you read it; empty for a profile.'),
	author: author.describe('Of a post under a pseudonym, that.'),
	pseudonym: z.boolean().describe('Whether its author wrote under a pseudonym.'),
	unmasked: author
		.nullable()
		.describe(
			'Who is behind the pseudonym, once you have unmasked it; they are suspended by the case of their profile.',
		),
	createdAt: time,
	state: z.enum(['visible', 'hidden', 'waiting', 'merged', 'gone']),
	statusReason: z.string(),
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
	assignee: author.nullable().describe('The moderator to whom it is assigned; null for nobody.'),
	notes: z
		.array(z.object({ id: z.int(), author, body: z.string(), at: time }))
		.describe('What moderators noted for each other; empty in a list.'),
	noteCount: z.int(),
}) satisfies z.ZodType<CaseView, CaseView>

const caseList = z.object({ rows: z.array(moderationCase), next })

const judgement = z.strictObject({
	act,
	why: z
		.string()
		.max(moderationLimits.whyMax)
		.optional()
		.describe(
			'Needed for all but `approve`, `restore`, `unlock`, `pin`, `pin-everywhere`, `unpin`, `dismiss` and `lift`.',
		),
	seen: z
		.string()
		.max(64)
		.optional()
		.describe('The `print` that you read. 409 when its author changed the text since.'),
	time: z.enum(suspensionDurations).optional().describe('With `suspend`: for how long.'),
	part: z.string().max(60).optional().describe('With `clean`: the `value` of one of the `parts`.'),
	until: z.string().max(10).optional().describe('With `pin` and `pin-everywhere`: the last day, such as 2026-12-24.'),
	into: z.string().optional().describe('With `merge`: the id or the address of the other query.'),
})
const assignment = z.strictObject({
	assignee: z.string().max(60).describe('The username of a moderator or an admin; empty for nobody.'),
	assigned: z
		.string()
		.max(60)
		.optional()
		.describe(
			'The username of the assignee when you read the case, empty for nobody. 409 when that has changed since.',
		),
})
const newNote = z.strictObject({ note: z.string().max(moderationLimits.noteMax) })
const judged = z.object({ done: z.string().describe('What was done, as a sentence.') })

const newRole = z.strictObject({ role: z.enum(['member', 'moderator']) })

/** The schema names in the OpenAPI description. */
export const moderationShapes = {
	NewReport: newReport,
	Case: moderationCase,
	CaseList: caseList,
	Judgement: judgement,
	Judged: judged,
	CaseAssignment: assignment,
	NewCaseNote: newNote,
	NewRole: newRole,
}

const group = 'Moderation'
const target = {
	kind: subjectType,
	name: z.string().max(60).describe('The id of a query or comment, the username of a profile.'),
}

export const moderationOperations = [
	operation({
		id: 'listCases',
		group,
		method: 'get',
		path: '/moderation/cases',
		summary: 'List reported and waiting posts',
		description: 'For moderators.',
		access: 'members',
		staff: true,
		query: {
			order: z.enum(['newest', 'reported']).default('newest'),
			handler: z
				.enum(assigneeFilters)
				.default('all')
				.describe('All cases, those assigned to you, or those assigned to nobody.'),
			cursor,
		},
		answer: caseList,
		refusals: [422],
		run: async (call) => listCases(requireCaller(call), { ...call.query, cursor: call.query.cursor ?? null }),
	}),
	operation({
		id: 'getCase',
		group,
		method: 'get',
		path: '/moderation/{kind}/{name}',
		summary: 'Read a case, reported or not',
		description: 'For moderators.',
		access: 'members',
		staff: true,
		params: target,
		answer: moderationCase,
		refusals: [404],
		run: async (call) => getCase(requireCaller(call), call.params),
	}),
	operation({
		id: 'judge',
		group,
		method: 'post',
		path: '/moderation/{kind}/{name}/acts',
		summary: 'Decide a case: hide, restore, lock, merge, suspend and so on',
		description: 'For moderators. `acts` of a case says what can be done now. 409 if another moderator decided first.',
		access: 'members',
		staff: true,
		params: target,
		body: judgement,
		example: { act: 'lock', why: 'It goes round in circles.' },
		answer: judged,
		refusals: [404, 409, 422],
		run: async (call) => {
			const { act, ...input } = call.body
			return {
				done: await decideCase(requireCaller(call), { ...call.params, act: String(act) }, { why: '', ...input }),
			}
		},
	}),
	operation({
		id: 'assignCase',
		group,
		method: 'put',
		path: '/moderation/{kind}/{name}/assignee',
		summary: 'Assign an open case to a moderator, or to nobody',
		description: 'For moderators. The assignee is notified.',
		access: 'members',
		staff: true,
		params: target,
		body: assignment,
		example: { assignee: 'ada' },
		answer: judged,
		refusals: [404, 409, 422],
		run: async (call) => ({ done: await assignCase(requireCaller(call), call.params, assignment.parse(call.body)) }),
	}),
	operation({
		id: 'addCaseNote',
		group,
		method: 'post',
		path: '/moderation/{kind}/{name}/notes',
		summary: 'Add a note for other moderators to a case',
		description: 'For moderators. Members never see it.',
		access: 'members',
		staff: true,
		params: target,
		body: newNote,
		example: { note: 'I wrote to them.' },
		answer: null,
		refusals: [404, 422],
		run: (call) => addNote(requireCaller(call), call.params, newNote.parse(call.body)),
	}),
	operation({
		id: 'setRole',
		group,
		method: 'put',
		path: '/moderation/members/{username}/role',
		summary: 'Make somebody a moderator, or a member again',
		description: 'For admins. Takes effect with the member’s next request. 409 if they already have the role.',
		access: 'members',
		staff: true,
		confirmed: true,
		params: { username: z.string().max(60) },
		body: newRole,
		example: { role: 'moderator' },
		answer: null,
		refusals: [403, 404, 409, 422],
		run: (call) => setModeratorRole(requireCaller(call), call.params.username, newRole.parse(call.body).role),
	}),
]

/** The operation that reports subjects of a type; its feature provides path and name. */
export function reportOperation<Name extends 'id' | 'username'>({
	type,
	param,
	...named
}: Pick<Operation, 'id' | 'path' | 'summary'> & {
	type: string
	param: Record<Name, z.ZodType<string | number>>
}): Operation {
	return operation({
		...named,
		group: 'Reports',
		method: 'post',
		description: 'Once, until a moderator has decided. You cannot report your own posts.',
		access: 'members',
		params: param,
		body: newReport,
		example: { reason: 'spam' },
		answer: null,
		refusals: [403, 404, 409, 422],
		run: async (call) => {
			const [name] = Object.values(call.params)
			await sendReport(requireCaller(call), { kind: type, name: String(name) }, call.body)
		},
	})
}
