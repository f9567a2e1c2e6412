import { z } from 'zod'
import { operation, requireCaller } from '~/platform/http/operation.ts'
import { listFollowed, setFollowing } from './following.server.ts'
import { MAX_TAG_DESCRIPTION } from './tags.limits.ts'
import {
	addSynonym,
	describeTag,
	getCategoryPage,
	getTag,
	listCategories,
	listSynonyms,
	listTags,
	removeSynonym,
} from './tags.server.ts'
import type { CategoryView, TagView } from './tags.view.ts'

/* The API of categories, tags and following them, with the use cases of the pages. */

const name = z.string().max(100)
const slug = z.string().max(60)

const category = z.object({
	slug: z.string(),
	title: z.string(),
	count: z.int().describe('How many queries it has.'),
	requiredTags: z.array(z.string()).optional().describe('A query there needs one of them.'),
	askers: z
		.enum(['everybody', 'verified', 'staff', 'nobody'])
		.describe('Who asks there: everybody, verified students, moderators; nobody where it is archived.'),
}) satisfies z.ZodType<CategoryView, CategoryView>

const categoryPage = category.extend({
	description: z.string().describe('Plain text, empty when nobody wrote one.'),
	following: z.boolean().describe('Whether you follow it.'),
})

const tag = z.object({
	name: z.string(),
	count: z.int().describe('How many queries have it.'),
}) satisfies z.ZodType<TagView, TagView>

const tagPage = tag.extend({
	description: z.string().describe('Plain text, empty when nobody wrote one.'),
	synonyms: z.array(z.string()).describe('Other spellings of this term.'),
	parents: z.array(z.string()).describe('Tags of what it is part of, at most 6: javascript of react.'),
	children: z.array(z.string()).describe('Tags of what is part of it, at most 6.'),
	following: z.boolean().describe('Whether you follow it.'),
})
const categoryList = z.object({ rows: z.array(category) })
const tagList = z.object({ rows: z.array(tag) })

const followed = z.object({
	tags: z.array(z.string()).describe('Names, at most 200.'),
	categories: z.array(z.string()).describe('Slugs.'),
})

const describeBody = z.strictObject({
	description: z.string().meta({ maxLength: MAX_TAG_DESCRIPTION, description: 'Plain text; empty for none.' }),
})
const synonymBody = z.strictObject({ main: z.string().max(100).describe('The main tag.') })
const synonym = z.object({ name: z.string(), main: z.string().describe('The main tag.') })
const synonymList = z.object({
	rows: z.array(z.object({ main: z.string(), names: z.array(z.string()) })).describe('By main tag, at most 5,000.'),
})

/** The schema names in the OpenAPI description. */
export const tagShapes = {
	Category: category,
	CategoryPage: categoryPage,
	CategoryList: categoryList,
	Tag: tag,
	TagPage: tagPage,
	TagList: tagList,
	Followed: followed,
	DescribeTag: describeBody,
	NewSynonym: synonymBody,
	Synonym: synonym,
	SynonymList: synonymList,
}

const group = 'Categories and tags'

const readingOperations = [
	operation({
		id: 'listCategories',
		group,
		method: 'get',
		path: '/categories',
		summary: 'List the categories, in the order of the site',
		access: 'everybody',
		answer: categoryList,
		run: async () => ({ rows: await listCategories() }),
	}),
	operation({
		id: 'getCategory',
		group,
		method: 'get',
		path: '/categories/{slug}',
		summary: 'Read a category',
		access: 'everybody',
		params: { slug },
		answer: categoryPage,
		refusals: [404],
		run: ({ viewer, params }) => getCategoryPage(viewer, params.slug),
	}),
	operation({
		id: 'listTags',
		group,
		method: 'get',
		path: '/tags',
		summary: 'List the most used tags',
		access: 'everybody',
		query: { limit: z.coerce.number().int().min(1).max(500).default(100).describe('How many at most.') },
		answer: tagList,
		run: async ({ query }) => ({ rows: await listTags(query.limit) }),
	}),
	operation({
		id: 'getTag',
		group,
		method: 'get',
		path: '/tags/{name}',
		summary: 'Read a tag with its description and other spellings',
		access: 'everybody',
		params: { name },
		answer: tagPage,
		refusals: [404],
		run: ({ viewer, params }) => getTag(viewer, params.name),
	}),
]

const forModerators = 'For moderators.'

const editingOperations = [
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
			await describeTag(requireCaller(call), call.params.name, call.body)
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
		run: async (call) => ({ rows: await listSynonyms(requireCaller(call)) }),
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
		run: (call) => addSynonym(requireCaller(call), { name: call.params.name, main: call.body.main }),
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
		run: (call) => removeSynonym(requireCaller(call), call.params.name),
	}),
]

const followingOperations = [
	operation({
		id: 'listFollowed',
		group: 'Following',
		method: 'get',
		path: '/me/following',
		summary: 'List the tags and categories you follow',
		access: 'members',
		answer: followed,
		run: async (call) => listFollowed(requireCaller(call)),
	}),
	operation({
		id: 'followTag',
		group: 'Following',
		method: 'put',
		path: '/tags/{name}/following',
		summary: 'Follow a tag',
		access: 'members',
		params: { name },
		answer: null,
		refusals: [404, 422],
		run: async (call) => setFollowing(requireCaller(call), { tag: call.params.name }, true),
	}),
	operation({
		id: 'unfollowTag',
		group: 'Following',
		method: 'delete',
		path: '/tags/{name}/following',
		summary: 'Unfollow a tag',
		access: 'members',
		params: { name },
		answer: null,
		refusals: [404],
		run: async (call) => setFollowing(requireCaller(call), { tag: call.params.name }, false),
	}),
	operation({
		id: 'followCategory',
		group: 'Following',
		method: 'put',
		path: '/categories/{slug}/following',
		summary: 'Follow a category',
		access: 'members',
		params: { slug },
		answer: null,
		refusals: [404],
		run: async (call) => setFollowing(requireCaller(call), { category: call.params.slug }, true),
	}),
	operation({
		id: 'unfollowCategory',
		group: 'Following',
		method: 'delete',
		path: '/categories/{slug}/following',
		summary: 'Unfollow a category',
		access: 'members',
		params: { slug },
		answer: null,
		refusals: [404],
		run: async (call) => setFollowing(requireCaller(call), { category: call.params.slug }, false),
	}),
]

export const tagOperations = [...readingOperations, ...editingOperations, ...followingOperations]
