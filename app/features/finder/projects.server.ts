import { canonicalSkill } from '~/features/members/skills.server.ts'
import { highlight, highlightPassage, type parseSearch } from '~/features/search/search.server.ts'
import { similarTerm } from '~/features/terms/terms.server.ts'
import { termKey } from '~/features/terms/terms.view.ts'
import { profilePath } from '~/lib/addresses.ts'
import { decodeCursor, invalidCursor, isRankText, pageOf } from '~/platform/http/cursors.ts'
import type { Hits, Nearness, ProjectHit } from './finder.view.ts'
import {
	listProjectHits,
	type ProjectHitRow,
	type ProjectPosition,
	type ProjectSearch,
} from './projects.queries.server.ts'

type Parsed = ReturnType<typeof parseSearch>

/** Counting stops here. */
const MAX_COUNT = 100
/** Characters of a description that a result shows. */
const EXCERPT_LENGTH = 180
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/**
 * Finds projects by title, technologies in any spelling, and description; `tag:` restricts the technology, `user:` the owner. Without
 * complete matches it falls back to prefixes and similar words, then to some of the words.
 * @param cursor of the previous page
 * @param loosest the last fallback to try
 * @throws Invalid for an invalid cursor
 */
export async function findProjects(
	parsed: Parsed,
	cursor: string | null,
	limit: number,
	loosest: Nearness = 'some',
): Promise<Hits<ProjectHit>> {
	const place = cursor ? placeOf(cursor) : null
	const steps = nearnessesOf(parsed)
	for (const nearness of place ? [place.nearness] : steps.slice(0, steps.indexOf(loosest) + 1 || undefined)) {
		const wanted = wantedOf(parsed, nearness)
		const rows = wanted ? await listProjectHits(wanted, place?.after ?? null, limit + 1) : []
		if (rows.length > 0) return presentHits(rows, nearness, wanted?.technologies ?? [], limit)
	}
	return { rows: [], next: null, count: { number: 0, atLeast: false }, nearness: 'all' }
}

function nearnessesOf({ terms }: Parsed): Nearness[] {
	const words = terms.filter(({ kind }) => kind === 'word').length
	return words === 0 ? ['all'] : words === 1 ? ['all', 'near'] : ['all', 'near', 'some']
}

/** The search for projects; null if it is empty. */
function wantedOf({ terms, operators }: Parsed, nearness: Nearness): ProjectSearch | null {
	const named = (kind: string) =>
		operators.filter((one) => one.kind === kind && !one.excluded).map(({ value }) => value)
	const owners = named('user')
	const technologies = named('tag').map(canonicalSkill)
	// With `or` the text is passed on unchanged.
	const isPlain = !terms.some(({ kind }) => kind === 'or')
	const texts = terms.map(({ kind, text, source }) =>
		kind === 'word' && isPlain ? spellingsOf(text, source, nearness) : { source, beginning: null },
	)
	const sources = texts.flatMap(({ source, beginning }) => (beginning === null ? [source] : []))
	const telling = terms.filter(({ kind }) => kind === 'word' || kind === 'phrase')
	if (telling.length + technologies.length + owners.length === 0) return null
	const words = nearness === 'some' ? [texts.map(({ source }) => source).join(' or ')] : sources
	return {
		words: isPlain ? words : [sources.join(' ')],
		beginnings: nearness === 'some' ? [] : texts.flatMap(({ beginning }) => beginning ?? []),
		technologies,
		owners: owners.length > 0 ? owners : null,
	}
}

/** The spellings of a word: `k8s` or Kubernetes. For similar matches, the term that it resembles, or any word with this prefix. */
function spellingsOf(text: string, source: string, nearness: Nearness): { source: string; beginning: string | null } {
	const known = canonicalSkill(text)
	if (termKey(known) !== termKey(text))
		return { source: `${source} or "${known.replaceAll('"', ' ')}"`, beginning: null }
	const similar = nearness === 'near' ? similarTerm(text) : undefined
	if (similar) return { source: `${source} or "${similar.name.replaceAll('"', ' ')}"`, beginning: null }
	const isBeginning = nearness === 'near' && /^[\p{L}\p{M}\p{N}]{2,}$/u.test(text)
	return { source, beginning: isBeginning ? text.toLowerCase() : null }
}

function presentHits(rows: ProjectHitRow[], nearness: Nearness, asked: string[], limit: number): Hits<ProjectHit> {
	const { rows: shown, next } = pageOf(rows, limit, ({ rank, project_id }) => [nearness, rank, project_id])
	const found = nearness === 'all' ? (rows[0]?.found ?? 0) : 0
	return {
		rows: shown.map((row) => presentHit(row, asked)),
		next,
		count: { number: Math.min(found, MAX_COUNT), atLeast: found > MAX_COUNT },
		nearness,
	}
}

function presentHit(row: ProjectHitRow, asked: string[]): ProjectHit {
	const keys = new Set(asked.map(termKey))
	return {
		id: row.project_id,
		url: `${profilePath(row.username)}#projects`,
		title: row.project_title,
		titleHtml: highlight(row.project_title, row.lexemes),
		excerptHtml: highlightPassage(row.project_description, row.lexemes, EXCERPT_LENGTH),
		stack: row.project_tech_stack.map((name) => ({
			name,
			matched: keys.has(termKey(name)) || highlight(name, row.lexemes).includes('<mark>'),
		})),
		owner: { username: row.username, name: row.name, image: row.image },
	}
}

function placeOf(cursor: string): { nearness: Nearness; after: ProjectPosition } {
	const [name, rank, id] = decodeCursor(cursor, 3)
	const nearness = (['all', 'near', 'some'] as const).find((one) => one === name)
	if (!nearness || !isRankText(rank) || typeof id !== 'string' || !uuid.test(id)) throw invalidCursor()
	return { nearness, after: { rank, id } }
}
