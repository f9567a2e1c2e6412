import { z } from 'zod'
import { askQuestion, deleteQuestion, editQuestion, restoreQuestion } from '~/features/asking/asking.server.ts'
import { listQuestions } from '~/features/question-lists/lists.server.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { member, operation } from '~/platform/http/operation.ts'
import { muteQuestion } from '../notices/notices.server.ts'
import {
	changedQuestion,
	cursor,
	editing,
	id,
	limit,
	namedVersion,
	newQuestion,
	query,
	questionList,
	restoringRule,
} from '../questions.api.server.ts'
import { getQuestion } from '../questions.server.ts'

const group = 'Queries'
const example = {
	title: 'How do I undo the last commit?',
	description: 'I committed to the wrong branch. `git reset` scares me.',
	tags: ['git'],
	category: 'git-and-tools',
}

export const askingOperations = [
	operation({
		id: 'listQueries',
		group,
		method: 'get',
		path: '/queries',
		summary: 'List or search queries',
		description:
			'Newest first, unless `view` says otherwise. With `q` the best match comes first and `view` is ignored.',
		access: 'everybody',
		query: {
			q: z.string().max(200).optional().describe('Words to search for.'),
			category: z.string().max(60).optional().describe('Slug of a category.'),
			tag: z.string().max(35).optional().describe('Name of a tag.'),
			author: z.string().max(60).optional().describe('Username of the author.'),
			view: z.enum(['newest', 'active', 'unanswered', 'solved']).default('newest'),
			cursor,
			limit,
		},
		answer: questionList,
		refusals: [404, 422],
		run: ({ viewer, query: { q, ...rest } }) => listQuestions(viewer, { ...definite(rest), ...(q && { search: q }) }),
	}),
	operation({
		id: 'askQuestion',
		group,
		method: 'post',
		path: '/queries',
		summary: 'Ask a question',
		access: 'members',
		repeatable: true,
		body: newQuestion,
		example,
		answer: query,
		status: 201,
		location: (made) => `/queries/${made.id}`,
		refusals: [403, 422],
		run: async (call) => {
			const { id } = await askQuestion(member(call), { ...call.body, key: call.key })
			return getQuestion(call.viewer, id)
		},
	}),
	operation({
		id: 'getQuery',
		group,
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
		id: 'editQuestion',
		group,
		method: 'patch',
		path: '/queries/{id}',
		summary: 'Change a query',
		description:
			'For its author and for moderators. Fields that are not sent stay as they are. Another category changes its `url`. Send `version` or `If-Match` so that nothing somebody else saved is overwritten.',
		access: 'members',
		params: { id },
		conditional: true,
		body: changedQuestion,
		example: { title: 'How do I undo the last commit on a branch?' },
		answer: query,
		refusals: [403, 404, 409, 412, 422],
		run: async (call) => {
			const { title, description, tags, category, version } = await getQuestion(call.viewer, call.params.id)
			const { version: named, ...changes } = call.body
			const sent = { title, description, tags, category: category.slug, ...changes }
			const from = namedVersion(call.ifMatch, named, version)
			await editing(call.ifMatch, sent, () => editQuestion(member(call), call.params.id, { ...sent, version: from }))
			return getQuestion(call.viewer, call.params.id)
		},
	}),
	operation({
		id: 'deleteQuestion',
		group,
		method: 'delete',
		path: '/queries/{id}',
		summary: 'Delete a query',
		description: 'For its author and for moderators.',
		access: 'members',
		params: { id },
		answer: null,
		refusals: [403, 404],
		run: async (call) => void (await deleteQuestion(member(call), call.params.id)),
	}),
	operation({
		id: 'restoreQuestion',
		group: 'Queries',
		method: 'post',
		path: '/queries/{id}/restore',
		summary: 'Restore a deleted query',
		description: restoringRule,
		access: 'members',
		params: { id },
		answer: query,
		refusals: [403, 404, 409],
		run: async (call) => {
			await restoreQuestion(member(call), call.params.id)
			return getQuestion(call.viewer, call.params.id)
		},
	}),
]

/** Without the parameters that were not given: a use case tells "none" from "undefined". */
function definite<Query extends object>(query: Query): { [Name in keyof Query]: Exclude<Query[Name], undefined> } {
	const given = Object.entries(query).filter(([, value]) => value !== undefined)
	return Object.fromEntries(given) as { [Name in keyof Query]: Exclude<Query[Name], undefined> }
}

export const mutingOperations = [
	operation({
		id: 'muteQuery',
		group: 'Following',
		method: 'put',
		path: '/queries/{id}/muting',
		summary: 'Mute a query',
		access: 'members',
		params: { id },
		answer: null,
		refusals: [404],
		run: async (call) => mute(member(call), call.params.id, true),
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
		run: async (call) => mute(member(call), call.params.id, false),
	}),
]

/** Only what the caller can read: a number alone must not tell whether something hidden is there. */
async function mute(viewer: SignedIn, questionId: number, muted: boolean): Promise<void> {
	await getQuestion(viewer, questionId)
	await muteQuestion(viewer, questionId, muted)
}
