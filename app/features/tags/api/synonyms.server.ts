import { z } from 'zod'
import { tagPage } from '~/features/questions/api/shapes.server.ts'
import { getTag } from '~/features/questions/lists/lists.server.ts'
import { limits } from '~/features/questions/questions.limits.ts'
import { member, operation } from '~/platform/http/operation.ts'
import { addSynonym, describeTag, listSynonyms, removeSynonym } from '../synonyms.server.ts'

const group = 'Categories and tags'
const name = z.string().max(100)
const forModerators = 'For moderators.'

const describeBody = z.strictObject({
	description: z.string().meta({ maxLength: limits.tagDescriptionMax, description: 'Plain text; empty for none.' }),
})
const synonymBody = z.strictObject({ main: z.string().max(100).describe('The main tag.') })
const synonym = z.object({ name: z.string(), main: z.string().describe('The main tag.') })
const synonymList = z.object({
	rows: z.array(z.object({ main: z.string(), names: z.array(z.string()) })).describe('By main tag, at most 1,000.'),
})

export const tagKeepingShapes = {
	DescribeTag: describeBody,
	NewSynonym: synonymBody,
	Synonym: synonym,
	SynonymList: synonymList,
}

export const tagKeepingOperations = [
	operation({
		id: 'describeTag',
		group,
		method: 'put',
		path: '/tags/{name}/description',
		summary: 'Describe a tag',
		description: forModerators,
		access: 'members',
		staff: true,
		params: { name },
		body: describeBody,
		example: { description: 'Questions about how this code is tested.' },
		answer: tagPage,
		refusals: [403, 404, 422],
		run: async (call) => {
			await describeTag(member(call), call.params.name, call.body)
			return getTag(call.viewer, call.params.name)
		},
	}),
	operation({
		id: 'listSynonyms',
		group,
		method: 'get',
		path: '/synonyms',
		summary: 'List the synonyms of tags',
		description: `${forModerators} A tag also lists its own.`,
		access: 'members',
		staff: true,
		answer: synonymList,
		refusals: [403],
		run: async (call) => ({ rows: await listSynonyms(member(call)) }),
	}),
	operation({
		id: 'addSynonym',
		group,
		method: 'put',
		path: '/synonyms/{name}',
		summary: 'Make one tag a synonym of another',
		description: `${forModerators} Moves the queries of the first tag to the second. 409 if the second is a synonym of the first.`,
		access: 'members',
		staff: true,
		params: { name },
		body: synonymBody,
		example: { main: 'unit-testing' },
		answer: synonym,
		refusals: [403, 409, 422],
		run: (call) => addSynonym(member(call), { name: call.params.name, main: call.body.main }),
	}),
	operation({
		id: 'removeSynonym',
		group,
		method: 'delete',
		path: '/synonyms/{name}',
		summary: 'Make a synonym a tag of its own again',
		description: `${forModerators} Queries stay where they are.`,
		access: 'members',
		staff: true,
		params: { name },
		answer: null,
		refusals: [403, 404],
		run: (call) => removeSynonym(member(call), call.params.name),
	}),
]
