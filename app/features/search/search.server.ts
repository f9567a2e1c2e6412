import type { QueryRow } from '~/features/questions/questions.queries.server.ts'
import { meantTags } from '~/features/tags/synonyms.server.ts'
import { isId } from '~/lib/checks.ts'
import { db } from '~/platform/db/db.server.ts'
import { decodeCursor, decodeTimeCursor, noSuchPlace } from '~/platform/http/cursors.ts'
import { type OperatorKind, parseSearch } from './parse.ts'
import { findIds, type Scope, scopedRows } from './scope.queries.server.ts'
import { type SearchRow, searchRows } from './search.queries.server.ts'

/** What a search finds: ranked where there are words, else the newest within what operators narrow the list to. */
export type Found = { ranked: true; rows: SearchRow[] } | { ranked: false; rows: QueryRow[] }

interface SearchInput {
	search: string
	/** What the list is narrowed to anyhow. */
	categoryId?: number
	tag?: string
	cursor: string | null
	limit: number
}

/** Reads one page of a search. @throws Invalid for a cursor that is not ours */
export async function findMatches({ search, categoryId, tag, cursor, limit }: SearchInput): Promise<Found> {
	const { words, operators } = parseSearch(search)
	const named = (kind: OperatorKind, excluded = false) =>
		operators.filter((each) => each.kind === kind && each.excluded === excluded).map(({ value }) => value)
	const [tags = [], withoutTags = []] = await meant([
		[...(tag === undefined ? [] : [tag]), ...named('tag')],
		named('tag', true),
	])
	const { wanted, unwanted } = await readPlaces(named)
	const within =
		categoryId === undefined ? wanted.categories : [categoryId].filter((id) => wanted.categories?.includes(id) ?? true)
	const scope: Scope = { ...wanted, tags, categories: within, without: { ...unwanted, tags: withoutTags } }
	for (const state of ['solved', 'unanswered'] as const) {
		const wanted = named('is').includes(state)
		const unwanted = named('is', true).includes(state)
		if (wanted && unwanted) return { ranked: false, rows: [] }
		if (wanted || unwanted) scope[state] = wanted
	}
	if (words) return { ranked: true, rows: await searchRows({ ...scope, words, cursor: rankCursor(cursor), limit }) }
	return {
		ranked: false,
		rows: await scopedRows({ ...scope, cursor: cursor ? decodeTimeCursor(cursor) : null, limit }),
	}
}

/** The categories and members that operators name, as ids; null where none is named. One statement, or none. */
async function readPlaces(named: (kind: OperatorKind, excluded?: boolean) => string[]) {
	const names = (excluded: boolean) => ({ categories: named('category', excluded), users: named('user', excluded) })
	const [yes, no] = [names(false), names(true)]
	const isAsked = [yes, no].some(({ categories, users }) => categories.length + users.length > 0)
	const [found, unwanted = { categories: [], users: [] }] = isAsked ? await findIds(yes, no) : []
	const idsOf = (kind: 'categories' | 'users') => (yes[kind].length > 0 ? (found?.[kind] ?? []) : null)
	return { wanted: { categories: idsOf('categories'), users: idsOf('users') }, unwanted }
}

function rankCursor(text: string | null): { rank: string; id: number } | null {
	if (text === null) return null
	const [rank, id] = decodeCursor(text, 2)
	if (typeof rank !== 'string' || !/^\d(\.\d{1,20})?(e-\d{1,3})?$/.test(rank) || !isId(id)) throw noSuchPlace()
	return { rank, id }
}

/** Tags as they are kept, whatever synonyms somebody typed. */
function meant(lists: string[][]): Promise<string[][]> {
	return lists.flat().length > 0 ? meantTags(db(), lists) : Promise.resolve(lists)
}
