import { meantTags } from '~/features/tags/tags.server.ts'
import { isId } from '~/lib/checks.ts'
import { db } from '~/platform/db/db.server.ts'
import { decodeCursor, decodeTimeCursor, noSuchPlace } from '~/platform/http/cursors.ts'
import { marked, markedPassage } from './marks.ts'
import { type OperatorKind, parseSearch } from './parse.ts'
import { findIds, type Scope, type Selection, scopedRows } from './scope.queries.server.ts'
import { passageRows, type RankedRow, searchRows } from './search.queries.server.ts'
import { type CommentMatchView, commentPath, type MatchView } from './search.view.ts'

/** What a search finds: ranked where there are words, else the newest within what operators narrow the list to. */
export type Found<Row> =
	| { ranked: true; rows: (Row & { rank: string; match: MatchView })[] }
	| { ranked: false; rows: Row[] }

interface SearchInput {
	search: string
	/** What the list is narrowed to anyhow. */
	categoryId?: number
	tag?: string
	cursor: string | null
	limit: number
}

/**
 * Reads one page of a search.
 * @param selection what is to be read of each question
 * @throws Invalid for a cursor that is not ours
 */
export async function findMatches<Row extends { id: number }>(
	selection: Selection<Row>,
	{ search, categoryId, tag, cursor, limit }: SearchInput,
): Promise<Found<Row>> {
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
	if (words) {
		const rows = await searchRows(selection, { ...scope, words, cursor: rankCursor(cursor), limit })
		const comments = await commentMatches(
			words,
			rows.map(({ id }) => id),
		)
		return { ranked: true, rows: rows.map((row) => ({ ...row, match: presentMatch(row, comments.get(row.id)) })) }
	}
	const rows = await scopedRows(selection, { ...scope, cursor: cursor ? decodeTimeCursor(cursor) : null, limit })
	return { ranked: false, rows }
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

/** The comments by which questions of a page of results match that have the words nowhere else, by the questions' ids. */
async function commentMatches(words: string, ids: number[]): Promise<Map<number, CommentMatchView>> {
	const rows = ids.length > 0 ? await passageRows(words, ids) : []
	return new Map(
		rows.map((row) => [
			row.question_id,
			{ url: commentPath(row.comment_id), author: row.name, html: markedPassage(row.body_marked) },
		]),
	)
}

function presentMatch(
	{ title_marked, description_marked }: Pick<RankedRow, 'title_marked' | 'description_marked'>,
	commentMatch: CommentMatchView | undefined,
): MatchView {
	return { commentMatch, titleHtml: marked(title_marked), excerptHtml: markedPassage(description_marked) }
}
