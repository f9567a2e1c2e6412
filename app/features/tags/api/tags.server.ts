import { z } from 'zod'
import { category, categoryList, tagList, tagPage } from '~/features/questions/api/shapes.server.ts'
import { getCategoryPage, getTag, listCategories, listTags } from '~/features/questions/lists/lists.server.ts'
import { operation } from '~/platform/http/operation.ts'

const group = 'Categories and tags'

export const placeOperations = [
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
		params: { slug: z.string().max(60) },
		answer: category,
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
		params: { name: z.string().max(100) },
		answer: tagPage,
		refusals: [404],
		run: ({ viewer, params }) => getTag(viewer, params.name),
	}),
]
