import { z } from 'zod'
import { openings } from '~/features/members/self.view.ts'
import { cursor, limit } from '~/features/questions/questions.api.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { type Operation, operation, portrait } from '~/platform/http/operation.ts'
import { criteriaOf, MAX_FILTER_VALUES } from './directory.paths.ts'
import { presentFound } from './directory.server.ts'
import type { MemberView } from './directory.view.ts'
import { findMembers, isPartial } from './finding.server.ts'

export const person = z.object({
	username: z.string(),
	name: z.string(),
	image: portrait,
	online: z.boolean(),
	branch: z.string(),
	year: z.int().nullable().describe('Year of study, from 1.'),
	university: z.string(),
	expertise: z.string(),
	about: z.string().describe('Its beginning.'),
	skills: z.array(z.string()),
	openTo: z.array(z.enum(openings)),
	why: z.string().describe('Why a search found them: “City: Eastmere”; empty without a search.'),
})

export const personList = z.object({
	rows: z.array(person),
	partial: z.boolean().describe('Whether nobody matches all of the search, and these match a part of it.'),
	next: z.string().nullable().describe('The cursor of the next page; null at the end.'),
})

/** A found member for the API. */
export function presentPerson({ studies, why = '', ...row }: MemberView): z.infer<typeof person> {
	return { ...row, branch: studies.branch, year: studies.year, why }
}

/** The values of a filter. A comma within one is written `\,`. */
function valuesOf(text: string): string[] {
	return text
		.split(/(?<!\\),/)
		.map((value) => value.replaceAll('\\,', ',').trim())
		.filter(Boolean)
}

const values = z
	.string()
	.max(500)
	.refine((text) => valuesOf(text).length <= MAX_FILTER_VALUES, `A filter has at most ${MAX_FILTER_VALUES} values.`)

const years = values.refine(
	(text) => valuesOf(text).every((year) => /^[1-8]$/.test(year)),
	'A year of study is a number from 1 to 8.',
)

const filter = (what: string, schema = values) =>
	schema.optional().describe(`${what} At most ${MAX_FILTER_VALUES}, separated by commas.`)

const named = (what: string) =>
	values
		.optional()
		.describe(`${what} At most ${MAX_FILTER_VALUES}, separated by commas; a comma within a name is written \`\\,\`.`)

/** The search of the community as JSON. */
export const directoryOperations: Operation[] = [
	operation({
		id: 'listPeople',
		group: 'People',
		method: 'get',
		path: '/people',
		summary: 'List or search people',
		description:
			'The newest first, with `q` the best match. A branch or a year of study within `q`, such as “cse 3rd year”, is a filter. Visitors find by city, project or certificate only members whose profile anyone may see.',
		access: 'everybody',
		query: {
			q: z.string().max(200).optional().describe('Words to search for.'),
			skill: filter('Members have all of these skills.'),
			branch: named('Members are in one of these branches.'),
			year: filter('Members are in one of these years of study, from 1 to 8.', years),
			university: named('Members are at one of these universities.'),
			cursor,
			limit,
		},
		answer: personList,
		refusals: [422],
		run: async (call) => {
			const { viewer } = call
			// The API's own limit for visitors, by address, is lower than this one.
			if (viewer) await countUse('peopleSearch', viewer)
			const { cursor: at = null, limit: most, ...query } = call.query
			const params = new URLSearchParams()
			for (const [name, value = ''] of Object.entries(query))
				for (const part of name === 'q' ? [value] : valuesOf(value)) params.append(name, part)
			const found = await findMembers(criteriaOf(params), viewer, at, most)
			const people = await presentFound(found)
			return {
				rows: people.map(presentPerson),
				partial: isPartial(found.meaning),
				next: found.next,
			}
		},
	}),
]
