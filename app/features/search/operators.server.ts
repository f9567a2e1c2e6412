import { resolveTags } from '~/features/tags/tags.server.ts'
import { db } from '~/platform/db/db.server.ts'
import { alternativesOf, type OperatorKind, type ParsedSearch } from './parse.ts'
import { findIds, type SearchScope } from './scope.queries.server.ts'

/** The restrictions of the list that is searched, besides the operators of the search. */
export interface Within {
	categoryId?: number | undefined
	tag?: string | undefined
	/** Ids of accounts; one of them must be the author. */
	authors?: number[] | undefined
	/** The id of a question that is left out. */
	except?: number | null
}

/** The restrictions by operators and the list; null if they exclude each other. */
export async function readScope(
	operators: ParsedSearch['operators'],
	{ categoryId, tag, authors, except = null }: Within,
): Promise<SearchScope | null> {
	const named = (kind: OperatorKind, excluded = false) =>
		operators.filter((each) => each.kind === kind && each.excluded === excluded).map(({ value }) => value)
	const asked = alternativesOf(operators, 'tag')
	const [tags = [], withoutTags = [], ...eitherTags] = await meant([
		[...(tag === undefined ? [] : [tag]), ...asked.filter((either) => either.length === 1).flat()],
		named('tag', true),
		...asked.filter((either) => either.length > 1),
	])
	const { wanted, unwanted } = await readNamed(named)
	const scope: SearchScope = {
		tags,
		eitherTags,
		categories: inBoth(categoryId === undefined ? null : [categoryId], wanted.categories),
		users: inBoth(authors ?? null, wanted.users),
		without: { ...unwanted, tags: withoutTags },
		except,
	}
	for (const state of ['solved', 'unanswered', 'unsolved'] as const) {
		const isWanted = named('is').includes(state)
		const isUnwanted = named('is', true).includes(state)
		if (isWanted && isUnwanted) return null
		if (isWanted || isUnwanted) scope[state] = isWanted
	}
	return scope
}

/** The ids that two restrictions allow; null is none. */
function inBoth(one: number[] | null, other: number[] | null): number[] | null {
	return one === null || other === null ? (one ?? other) : one.filter((id) => other.includes(id))
}

/** The weights of the parts that `in:` names; several mean any of them. Exclusions leave the other parts. */
export function partsOf(operators: ParsedSearch['operators']): string[] | undefined {
	const weights = { title: 'a', text: 'c', comments: 'd' }
	const named = operators.filter(({ kind }) => kind === 'in')
	const weightOf = ({ value }: { value: string }) => weights[value as keyof typeof weights]
	const wanted = named.filter(({ excluded }) => !excluded).map(weightOf)
	const unwanted = named.filter(({ excluded }) => excluded).map(weightOf)
	if (named.length === 0) return undefined
	return (wanted.length > 0 ? wanted : ['a', 'b', 'c', 'd']).filter((weight) => !unwanted.includes(weight))
}

/** The ids of categories and members in operators; null if there are none. At most one statement. */
async function readNamed(named: (kind: OperatorKind, excluded?: boolean) => string[]) {
	const names = (excluded: boolean) => ({ categories: named('category', excluded), users: named('user', excluded) })
	const [yes, no] = [names(false), names(true)]
	const isNamed = [yes, no].some(({ categories, users }) => categories.length + users.length > 0)
	const [found, unwanted = { categories: [], users: [] }] = isNamed ? await findIds(yes, no) : []
	const idsOf = (kind: 'categories' | 'users') => (yes[kind].length > 0 ? (found?.[kind] ?? []) : null)
	return { wanted: { categories: idsOf('categories'), users: idsOf('users') }, unwanted }
}

/** Main tags for the typed ones, which may be synonyms. */
function meant(lists: string[][]): Promise<string[][]> {
	return lists.flat().length > 0 ? resolveTags(db(), lists) : Promise.resolve(lists)
}
