import { z } from 'zod'
import { reportOperation } from '~/features/moderation/moderation.api.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { EditConflict } from '~/platform/http/form.server.ts'
import { author, type Call, operation, requireCaller, StaleEdit } from '~/platform/http/operation.ts'
import { muteQuestion } from './notifying/notifying.server.ts'
import type { QuestionCardView, QuestionPageView } from './question.view.ts'
import { postLimits } from './questions.limits.ts'
import { askInput } from './questions.schema.ts'
import { getQuestion } from './questions.server.ts'

/* Schemas of the forum's API. The views of the pages fit them; the compiler reports when one does not. */

export const time = z.string().meta({ format: 'date-time' })
export const markdown = 'Markdown, as it was written.'
export const html = 'The same as sanitized HTML.'

export const origin = z
	.object({ url: z.string().nullable(), licence: z.string().nullable() })
	.nullable()
	.describe('Where an imported text comes from.')

export const voteValue = z.literal([1, 0, -1]).describe('Your vote: 1 up, -1 down, 0 none.')
/** The caller's own state of a text. */
export const vote = {
	vote: voteValue,
	own: z.boolean().describe('Whether you wrote it; nobody votes on their own.'),
	bookmarked: z.boolean().describe('Whether you bookmarked it.'),
}

export const unpublished = z
	.object({
		status: z.enum(['pending', 'hidden', 'merged']),
		rejected: z.boolean().describe('Whether it was never published, as a moderator rejected it while it was pending.'),
		reason: z.string(),
	})
	.nullable()
	.describe('Why others cannot see it; null if they can.') as z.ZodType<
	QuestionPageView['unpublished'],
	QuestionPageView['unpublished']
>

export const postPermissions = { mayEdit: z.boolean(), mayDelete: z.boolean() }

/** A question in a list. */
export const questionCard = z.object({
	id: z.int(),
	url: z.string().describe('Path of its page.'),
	title: z.string(),
	titleHtml: z.string().optional().describe('With matches marked; only in a search.'),
	excerpt: z.string(),
	excerptHtml: z.string().optional().describe('With matches marked; only in a search.'),
	commentMatch: z
		.object({ url: z.string().describe('Path that leads to it.'), author: z.string(), html: z.string() })
		.optional()
		.describe(
			'The comment that matches, with matches marked; only in a search, when nothing else of the query matches.',
		),
	category: z.object({ slug: z.string(), title: z.string() }),
	author,
	tags: z.array(z.string()),
	createdAt: time,
	score: z.int(),
	commentCount: z.int(),
	solved: z.boolean(),
	...postPermissions,
}) satisfies z.ZodType<QuestionCardView, QuestionCardView>

export const query = questionCard.extend({
	description: z.string().describe(markdown),
	descriptionHtml: z.string().describe(html),
	version: z.int().describe('Raised by every edit.'),
	editedAt: time.nullable(),
	deletedBy: z
		.enum(['author', 'moderator'])
		.nullable()
		.describe('Who deleted it, if only the comments of others remain.'),
	locked: z.boolean().describe('Whether comments are closed.'),
	unpublished,
	...vote,
	following: z.boolean().describe('Whether you follow it.'),
	affected: z.boolean().describe('Whether you have the same problem.'),
	invited: z.boolean().describe('Whether you were asked to answer it, still can, and neither declined nor commented.'),
	affectedCount: z.int().describe('How many members besides its author have the same problem.'),
	origin,
}) satisfies z.ZodType<QuestionPageView, QuestionPageView>

export const nextCursor = z.string().nullable().describe('The cursor of the next page; null at the end.')

export const questionList = z.object({
	rows: z.array(questionCard),
	next: nextCursor,
	pinned: z
		.array(questionCard)
		.optional()
		.describe(
			'What moderators pinned above the first page of the forum or a category; `rows` has it too, at its place.',
		),
	instead: z
		.union([
			z.object({ kind: z.literal('corrected'), search: z.string() }),
			z.object({ kind: z.literal('any'), exact: z.int() }),
		])
		.optional()
		.describe(
			'What a search that finds nothing shows: what another search finds, or what has some of its words; `exact` rows before those have all.',
		),
})

/** Limits for the API description; the forms' schemas enforce them. */
const { title, description, tags, category: place } = askInput.shape
export const newQuestion = z.strictObject({
	title: title.meta({ minLength: postLimits.titleMin, maxLength: postLimits.titleMax }),
	description: description.meta({ minLength: 1, maxLength: postLimits.descriptionMax, description: 'Markdown.' }),
	tags: tags.meta({ description: `1 to ${postLimits.tagsMax} tags, as a list or separated by commas.` }),
	category: place.meta({ description: 'Slug of a category.' }),
	pseudonym: z.boolean().optional().describe('Whether to ask under a pseudonym. It cannot be changed afterwards.'),
})
export const editedVersion = z
	.int()
	.min(1)
	.optional()
	.describe('The version you edited. 409 if a newer one was saved; if left out, the last edit wins.')
export const changedQuestion = newQuestion.omit({ pseudonym: true }).partial().extend({ version: editedVersion })

/** The schemas by their names in the API description. */
export const forumShapes = {
	QueryCard: questionCard,
	Query: query,
	QueryList: questionList,
	NewQuery: newQuestion,
	ChangedQuery: changedQuestion,
}

/** Who may undo a deletion, in the description of both operations. */
export const restoringRule = 'For the member who deleted it, within ten minutes; for moderators at any time.'

type IfMatch = Call<unknown, unknown>['ifMatch']

/** A version that no text ever reaches, for an ETag that names none of its versions. */
const noVersion = 2_147_483_647

/**
 * The version that an edit started from.
 * @param ifMatch versions of the header, which overrides the body
 * @param named version of the body
 * @param stored the current version
 */
export function versionToEdit(ifMatch: IfMatch, named: unknown, stored: number): unknown {
	if (!ifMatch) return named
	return ifMatch.includes(stored) ? stored : noVersion
}

/** Runs an edit. @throws StaleEdit with both texts when another edit was saved first */
export async function runEdit<Result>(ifMatch: IfMatch, sent: object, edit: () => Promise<Result>): Promise<Result> {
	try {
		return await edit()
	} catch (error) {
		if (!(error instanceof EditConflict)) throw error
		const { version, values } = error.stored
		throw new StaleEdit(error.message, ifMatch ? 412 : 409, { stored: { ...values, version }, sent })
	}
}

/* Parameters that several operations share. */

export const id = z.coerce.number().int().min(1).max(2_147_483_647)
export const cursor = z.string().max(400).optional().describe('Where the page before ended: its `next`.')
export const limit = z.coerce.number().int().min(1).max(50).default(20).describe('How many rows at most.')

export const questionOperations = [
	operation({
		id: 'getQuery',
		group: 'Queries',
		method: 'get',
		path: '/queries/{id}',
		summary: 'Read a query',
		access: 'everybody',
		params: { id },
		answer: query,
		refusals: [404],
		run: ({ viewer, params }) => getQuestion(viewer, params.id),
	}),
	operation({
		id: 'muteQuery',
		group: 'Following',
		method: 'put',
		path: '/queries/{id}/muting',
		summary: 'Mute a query',
		access: 'members',
		params: { id },
		answer: null,
		refusals: [404, 422],
		run: async (call) => mute(requireCaller(call), call.params.id, true),
	}),
	operation({
		id: 'unmuteQuery',
		group: 'Following',
		method: 'delete',
		path: '/queries/{id}/muting',
		summary: 'Unmute a query',
		access: 'members',
		params: { id },
		answer: null,
		refusals: [404],
		run: async (call) => mute(requireCaller(call), call.params.id, false),
	}),
	reportOperation({
		id: 'reportQuery',
		type: 'query',
		path: '/queries/{id}/reports',
		summary: 'Report a query to the moderators',
		param: { id },
	}),
	reportOperation({
		id: 'reportComment',
		type: 'comment',
		path: '/comments/{id}/reports',
		summary: 'Report a comment to the moderators',
		param: { id },
	}),
]

/** Only for questions that the caller can read: an id must not reveal whether a hidden question exists. */
async function mute(viewer: SignedIn, questionId: number, muted: boolean): Promise<void> {
	await getQuestion(viewer, questionId)
	await muteQuestion(viewer, questionId, muted)
}
