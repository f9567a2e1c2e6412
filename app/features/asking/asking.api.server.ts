import { z } from 'zod'
import { time } from '~/features/questions/questions.api.server.ts'
import { draftInput, draftKey } from '~/features/questions/questions.schema.ts'
import { NotFound } from '~/lib/errors.ts'
import { member, operation } from '~/platform/http/operation.ts'
import type { Draft, DraftSaved } from './asking.view.ts'
import { dropDraft, getDraft, listDrafts, saveDraft } from './drafts.server.ts'

const group = 'Drafts'
const key = draftKey.describe('`ask` for a new query, `edit:` and an id for the edit of one.')

const draft = z.object({
	title: z.string(),
	description: z.string(),
	tags: z.string().describe('Separated by commas.'),
	category: z.string().describe('Slug.'),
	madeFrom: z.int().describe('The version of the query that the edit began with; 0 for a new query.'),
	version: z.int().describe('Raised by every save.'),
	savedAt: time,
}) satisfies z.ZodType<Draft, Draft>

const draftSaved = z.object({
	version: z.int(),
	replaced: draft.nullable().describe('What was saved elsewhere in the meantime and is now overwritten.'),
}) satisfies z.ZodType<DraftSaved, DraftSaved>

const { key: _, ...typed } = draftInput.shape
const newDraft = z.strictObject({
	...typed,
	madeFrom: z.int().min(0).optional().describe('The version of the query that the edit began with.'),
	version: z.int().min(0).optional().describe('The version of the draft that this save follows.'),
})

const draftList = z.object({ rows: z.array(draft.extend({ key: z.string() })).describe('At most 20.') })

export const draftShapes = { Draft: draft, DraftList: draftList, DraftSaved: draftSaved, NewDraft: newDraft }

export const draftOperations = [
	operation({
		id: 'listDrafts',
		group,
		method: 'get',
		path: '/me/drafts',
		summary: 'List your drafts, newest first',
		access: 'members',
		answer: draftList,
		run: async (call) => ({ rows: await listDrafts(member(call)) }),
	}),
	operation({
		id: 'getDraft',
		group,
		method: 'get',
		path: '/me/drafts/{key}',
		summary: 'Read a draft',
		access: 'members',
		params: { key },
		answer: draft,
		refusals: [404],
		run: async (call) => {
			const found = await getDraft(member(call), call.params.key)
			if (!found) throw new NotFound('You have no draft for this.')
			return found
		},
	}),
	operation({
		id: 'saveDraft',
		group,
		method: 'put',
		path: '/me/drafts/{key}',
		summary: 'Save a draft',
		description: 'Texts may be empty, but no longer than those of a query. Only your newest 20 drafts are stored.',
		access: 'members',
		params: { key },
		body: newDraft,
		example: { title: 'How do I', description: '', tags: 'git', category: '' },
		answer: draftSaved,
		refusals: [403, 404, 422],
		run: async (call) => saveDraft(member(call), { ...call.body, key: call.params.key }),
	}),
	operation({
		id: 'dropDraft',
		group,
		method: 'delete',
		path: '/me/drafts/{key}',
		summary: 'Delete a draft',
		access: 'members',
		params: { key },
		answer: null,
		refusals: [404],
		run: async (call) => dropDraft(member(call), call.params.key),
	}),
]
