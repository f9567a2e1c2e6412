import { z } from 'zod'
import { person, presentPerson } from '~/features/directory/directory.api.server.ts'
import { cursor, nextCursor, questionCard } from '~/features/questions/questions.api.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { author, operation } from '~/platform/http/operation.ts'
import { MAX_SEARCH_LENGTH } from './finder.paths.ts'
import { cleanSearch, searchEverything } from './finder.server.ts'
import type { Hits } from './finder.view.ts'

/* The API of the search of everything, with the results of the page. */

/** Results of one kind. */
const hits = <Row extends z.ZodType>(row: Row) =>
	z.object({
		rows: z.array(row),
		count: z
			.object({ number: z.int(), atLeast: z.boolean().describe('Whether there are more than `number`.') })
			.describe('How many have all words.'),
		nearness: z
			.enum(['all', 'near', 'some'])
			.describe('Whether `rows` have all words, words like them, or some of the words.'),
		next: nextCursor,
	})

const project = z.object({
	id: z.string(),
	url: z.string().describe('Path of the item on its owner’s page.'),
	title: z.string(),
	titleHtml: z.string().describe('With matches marked.'),
	excerptHtml: z.string().describe('With matches marked.'),
	stack: z.array(z.object({ name: z.string(), matched: z.boolean() })),
	owner: author,
})

const tag = z.object({
	name: z.string(),
	count: z.int().describe('How many queries have it.'),
	why: z.string().describe('Why it was found, where its name does not say so.'),
})

const everything = z.object({
	queries: hits(questionCard),
	people: hits(person),
	projects: hits(project).nullable().describe('null for visitors, who see no projects.'),
	tags: hits(tag),
})

/** The schema names in the OpenAPI description. */
export const finderShapes = { SearchResults: everything }

const kinds = { queries: 'questions', people: 'people', projects: 'projects', tags: 'tags' } as const

/** Results in the format of the API. */
function present<Row, Told>({ rows, count, nearness, next }: Hits<Row>, tell: (row: Row) => Told) {
	return { rows: rows.map(tell), count, nearness, next }
}

const asIs = <Row>(row: Row) => row

export const finderOperations = [
	operation({
		id: 'search',
		group: 'Search',
		method: 'get',
		path: '/search',
		summary: 'Search queries, people, projects and tags',
		description:
			'The best of each kind, or with `in` a page of one kind and one row of the others. Takes the operators of the search field, such as `tag:java` and `is:solved`.',
		access: 'everybody',
		query: {
			q: z.string().min(1).max(MAX_SEARCH_LENGTH).describe('What to search for.'),
			in: z
				.enum(Object.keys(kinds) as (keyof typeof kinds)[])
				.optional()
				.describe('The kind to read a page of.'),
			cursor: cursor.describe('With `in`: where the page before ended, its `next`.'),
		},
		answer: everything,
		refusals: [422],
		run: async ({ viewer, query: { q, in: kind, cursor: at = null } }) => {
			// Visitors have a lower limit per address for the whole API.
			if (viewer) await countUse('peopleSearch', viewer)
			const asked = { q: cleanSearch(q), kind: kind === undefined ? null : kinds[kind], cursor: at }
			const found = await searchEverything(viewer, asked, false)
			return {
				queries: present(found.questions, asIs),
				people: present(found.people, presentPerson),
				projects: found.projects && present(found.projects, asIs),
				tags: present(found.tags, ({ name, count, why }) => ({ name, count, why })),
			}
		},
	}),
]
