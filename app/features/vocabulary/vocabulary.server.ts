import { requireModerator } from '~/features/moderation/members.server.ts'
import { termSources } from '~/features/terms/sources.server.ts'
import { findTermDetail } from '~/features/terms/terms.queries.server.ts'
import { findTerm, matchTerms, similarTerm } from '~/features/terms/terms.server.ts'
import { termKey } from '~/features/terms/terms.view.ts'
import { isId } from '~/lib/checks.ts'
import { NotFound } from '~/lib/errors.ts'
import { pluralize } from '~/lib/text.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { decodeCursor, invalidCursor, type Page, pageOf } from '~/platform/http/cursors.ts'
import { listTermLines, type TermPosition } from './vocabulary.queries.server.ts'
import type { NewWord, TermLine, TermPageView } from './vocabulary.view.ts'

const MAX_TERMS_PER_PAGE = 50
const MAX_NEW_WORDS = 100

/**
 * A page of terms, most used first.
 * @param q a prefix of a name or another spelling, best matches first; '' for all
 * @throws NotAllowed; Invalid for an invalid cursor
 */
export async function listTerms(
	viewer: Viewer,
	{ q, cursor }: { q: string; cursor: string | null },
): Promise<Page<TermLine>> {
	requireModerator(viewer)
	if (q !== '') {
		const ids = matchTerms(q)
			.slice(0, MAX_TERMS_PER_PAGE)
			.map(({ term }) => term.id)
		const rows = await listTermLines(ids, null, MAX_TERMS_PER_PAGE)
		return { rows: rows.sort((one, other) => ids.indexOf(one.id) - ids.indexOf(other.id)), next: null }
	}
	const found = await listTermLines(null, cursor ? positionIn(cursor) : null, MAX_TERMS_PER_PAGE + 1)
	return pageOf(found, MAX_TERMS_PER_PAGE, ({ uses, id }) => [uses, id])
}

function positionIn(cursor: string): TermPosition {
	const [uses, id] = decodeCursor(cursor, 2)
	if (!(uses === 0 || isId(uses)) || !isId(id)) throw invalidCursor()
	return [uses, id]
}

/** Words in use that are not terms, most used first, at most 100. @throws NotAllowed */
export async function listNewWords(viewer: Viewer): Promise<NewWord[]> {
	requireModerator(viewer)
	const found = await Promise.all(termSources().map((source) => source.listUnknown(MAX_NEW_WORDS)))
	const words = new Map<string, { word: string; uses: number }>()
	for (const { word, uses } of found.flat()) {
		const known = words.get(termKey(word))
		words.set(termKey(word), { word: known?.word ?? word, uses: uses + (known?.uses ?? 0) })
	}
	return [...words.values()]
		.sort((one, other) => other.uses - one.uses || (one.word < other.word ? -1 : 1))
		.slice(0, MAX_NEW_WORDS)
		.map((row) => ({ ...row, similar: similarTerm(row.word) ?? null }))
}

/** A term with its spellings, parents, children and uses. @throws NotAllowed, NotFound */
export async function getTerm(viewer: Viewer, id: number): Promise<TermPageView> {
	requireModerator(viewer)
	const term = isId(id) ? await findTermDetail(id) : undefined
	if (!term) throw new NotFound('There is no such term.')
	const { name, tag, description, aliases, parents, children } = term
	const keys = [name, tag, ...aliases].map(termKey)
	const counts = await Promise.all(
		termSources().map(async ({ nouns, countUses }) => ({ nouns, count: await countUses(keys) })),
	)
	const uses = counts.filter(({ count }) => count > 0).map(({ nouns, count }) => pluralize(count, ...nouns))
	return { id, name, tag, description, aliases, parents, children, uses }
}

/** What is known about a word: its term, or the one with a similar spelling. */
export function describeWord(viewer: Viewer, word: string): { known: boolean; similar: string } {
	requireModerator(viewer)
	return { known: findTerm(word) !== undefined, similar: similarTerm(word)?.name ?? '' }
}
