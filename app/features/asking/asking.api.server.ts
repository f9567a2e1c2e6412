import { z } from 'zod'
import {
	changedQuestion,
	id,
	newQuestion,
	query,
	restoringRule,
	runEdit,
	time,
	versionToEdit,
} from '~/features/questions/questions.api.server.ts'
import { draftInput, draftKey } from '~/features/questions/questions.schema.ts'
import { getQuestion } from '~/features/questions/questions.server.ts'
import { requireChangeableQuestion } from '~/features/questions/writing/change.server.ts'
import { NotFound } from '~/lib/errors.ts'
import type { SignedIn } from '~/lib/viewer.ts'
import { operation, requireCaller, StaleEdit } from '~/platform/http/operation.ts'
import { askQuestion, deleteQuestion, editQuestion, restoreQuestion } from './asking.server.ts'
import type { Draft, DraftSaveResult } from './asking.view.ts'
import { discardDraft, getDraft, listDrafts, saveDraft } from './drafts.server.ts'

const queries = 'Queries'
const drafts = 'Drafts'
const example = {
	title: 'How do I undo the last commit?',
	description: 'I committed to the wrong branch. `git reset` scares me.',
	tags: ['git'],
	category: 'git-and-tools',
}

const key = draftKey.describe('`ask` for a new query, `edit:` and an id for the edit of one.')

const draft = z.object({
	title: z.string(),
	description: z.string(),
	tags: z.string().describe('Separated by commas.'),
	category: z.string().describe('Slug.'),
	pseudonym: z.boolean().optional().describe('Whether it is to be asked under a pseudonym.'),
	madeFrom: z.int().describe('The version of the query that the edit began with; 0 for a new query.'),
	version: z.int().describe('Raised by every save.'),
	savedAt: time,
}) satisfies z.ZodType<Draft, Draft>

const draftSaved = z.object({
	version: z.int(),
	replaced: draft.nullable().describe('What was saved elsewhere in the meantime and is now overwritten.'),
}) satisfies z.ZodType<DraftSaveResult, DraftSaveResult>

const { key: _, ...typed } = draftInput.shape
const newDraft = z.strictObject({
	...typed,
	pseudonym: z.boolean().optional().describe('Whether it is to be asked under a pseudonym.'),
	madeFrom: z.int().min(0).optional().describe('The version of the query that the edit began with.'),
	version: z.int().min(0).optional().describe('The version of the draft that this save follows.'),
})

const draftList = z.object({ rows: z.array(draft.extend({ key: z.string() })).describe('At most 20.') })

export const draftShapes = { Draft: draft, DraftList: draftList, DraftSaved: draftSaved, NewDraft: newDraft }

/** Each conflict means that another edit was saved. */
const MAX_ATTEMPTS = 10

/**
 * Changes only the given fields of a question: the others stay as they are when it is saved, whoever edits them at the same moment.
 * @param named the version that the caller names
 * @throws StaleEdit where that is outdated
 */
async function changeFields(
	editor: SignedIn,
	id: number,
	{ ifMatch, changes, named }: { ifMatch: Parameters<typeof versionToEdit>[0]; changes: object; named: unknown },
): Promise<void> {
	for (let attempt = 1; ; attempt += 1) {
		const { title, description, tags, category_slug: category, version } = await requireChangeableQuestion(editor, id)
		const sent = { title, description, tags, category, ...changes }
		const from = versionToEdit(ifMatch, named, version)
		try {
			await runEdit(ifMatch, sent, () => editQuestion(editor, id, { ...sent, version: from ?? version }))
			return
		} catch (error) {
			if (!(error instanceof StaleEdit) || from !== undefined || attempt === MAX_ATTEMPTS) throw error
		}
	}
}

export const askingOperations = [
	operation({
		id: 'askQuestion',
		group: queries,
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
			const { id } = await askQuestion(requireCaller(call), { ...call.body, key: call.key })
			return getQuestion(call.viewer, id)
		},
	}),
	operation({
		id: 'editQuestion',
		group: queries,
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
			const { version: named, ...changes } = call.body
			await changeFields(requireCaller(call), call.params.id, { ifMatch: call.ifMatch, changes, named })
			return getQuestion(call.viewer, call.params.id)
		},
	}),
	operation({
		id: 'deleteQuestion',
		group: queries,
		method: 'delete',
		path: '/queries/{id}',
		summary: 'Delete a query',
		description: 'For its author and for moderators.',
		access: 'members',
		params: { id },
		answer: null,
		refusals: [403, 404, 409],
		run: async (call) => void (await deleteQuestion(requireCaller(call), call.params.id)),
	}),
	operation({
		id: 'restoreQuestion',
		group: queries,
		method: 'post',
		path: '/queries/{id}/restore',
		summary: 'Restore a deleted query',
		description: restoringRule,
		access: 'members',
		params: { id },
		answer: query,
		refusals: [403, 404, 409],
		run: async (call) => {
			await restoreQuestion(requireCaller(call), call.params.id)
			return getQuestion(call.viewer, call.params.id)
		},
	}),
	operation({
		id: 'listDrafts',
		group: drafts,
		method: 'get',
		path: '/me/drafts',
		summary: 'List your drafts, newest first',
		access: 'members',
		answer: draftList,
		run: async (call) => ({ rows: await listDrafts(requireCaller(call)) }),
	}),
	operation({
		id: 'getDraft',
		group: drafts,
		method: 'get',
		path: '/me/drafts/{key}',
		summary: 'Read a draft',
		access: 'members',
		params: { key },
		answer: draft,
		refusals: [404],
		run: async (call) => {
			const found = await getDraft(requireCaller(call), call.params.key)
			if (!found) throw new NotFound('You have no draft for this.')
			return found
		},
	}),
	operation({
		id: 'saveDraft',
		group: drafts,
		method: 'put',
		path: '/me/drafts/{key}',
		summary: 'Save a draft',
		description: 'Texts may be empty, but not longer than those of a query. Only your newest 20 drafts are stored.',
		access: 'members',
		params: { key },
		body: newDraft,
		example: { title: 'How do I', description: '', tags: 'git', category: '' },
		answer: draftSaved,
		refusals: [403, 404, 422],
		run: async (call) => saveDraft(requireCaller(call), { ...call.body, key: call.params.key }),
	}),
	operation({
		id: 'dropDraft',
		group: drafts,
		method: 'delete',
		path: '/me/drafts/{key}',
		summary: 'Delete a draft',
		access: 'members',
		params: { key },
		answer: null,
		refusals: [404],
		run: async (call) => discardDraft(requireCaller(call), call.params.key),
	}),
]
