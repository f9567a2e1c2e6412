import { presentQuery, type QueryPageView } from '~/features/questions/question.view.ts'
import { queryUrl } from '~/features/search/search.view.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { mayChangeWithheld, maySeeWithheld } from './moderation.policy.ts'
import { withFreshRole } from './staff.server.ts'
import { findMergedRow, findPlaceOfQuery, findWithheldRow } from './withheld.queries.server.ts'

/**
 * A query that is out of the forum, for whoever may still read it: its author and moderators, and of a merged one everybody.
 * While it is out, its author alone changes one that waits, and nobody any other.
 */
export async function findWithheld(viewer: Viewer, id: number): Promise<QueryPageView | null> {
	const row = await findWithheldRow(id)
	if (!row) return null
	const isOpen = row.withheld === 'merged'
	if (!isOpen && !maySeeWithheld(await withFreshRole(viewer), { authorId: row.author_id })) return null
	const withheld = { state: row.withheld, reason: row.withheld_reason }
	const mayChange = mayChangeWithheld(viewer, { authorId: row.author_id, withheld: row.withheld })
	return { ...presentQuery(viewer, row), mayEdit: mayChange, mayDelete: mayChange, locked: true, withheld }
}

/** The address that a merged query leads to; null for a query that was not merged. */
export async function mergedAddress(query: QueryPageView): Promise<string | null> {
	if (query.withheld?.state !== 'merged') return null
	const merged = await findMergedRow(query.id)
	const place = merged && (await findPlaceOfQuery(merged.merged_into))
	return place ? `${queryUrl(place)}?merged=${query.id}` : null
}

/** The query that a reader came from, if it was merged into this one: its title, and where it can be read as it was. */
export async function mergedFrom(id: number, into: number): Promise<{ title: string; url: string } | null> {
	const row = await findMergedRow(id)
	return row?.merged_into === into ? { title: row.title, url: `${queryUrl(row)}?original=1` } : null
}
