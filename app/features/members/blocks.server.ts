import { NotAllowed } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { listBlockedRows } from './blocks.queries.server.ts'

/*
 * What a block means outside the chat (docs/decisions/0038-suspended-hidden-blocked.md): whoever is blocked tells the blocker nothing, writes
 * nothing under what they wrote, does not vote on it, and does not see whether they are online. Refusals never name a block.
 */

/** How many blocked members are listed. */
const MAX_LISTED = 500

/** A member whom the viewer blocks. */
export interface BlockedView {
	username: string
	name: string
	image: string | null
	/** ISO 8601. */
	since: string
}

/** Whom the viewer blocks, the latest first, at most 500. @throws NotAllowed for a visitor */
export async function listBlocked(viewer: Viewer): Promise<BlockedView[]> {
	if (!viewer) throw new NotAllowed('Log in first.')
	const rows = await listBlockedRows(viewer.id, MAX_LISTED)
	return rows.map(({ blocked_at, ...member }) => ({ ...member, since: blocked_at.toISOString() }))
}
