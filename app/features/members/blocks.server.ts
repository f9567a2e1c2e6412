import { requireSignedIn, type Viewer } from '~/lib/viewer.ts'
import { listBlockedRows } from './blocks.queries.server.ts'

/*
 * The effects of a block outside the chat (docs/decisions/0038-suspended-hidden-blocked.md): blocked members cannot notify the blocker,
 * comment on the blocker's posts, vote on them, or see whether the blocker is online. Error messages never mention a block.
 */

/** The maximum number of members that one member may block. */
export const MAX_BLOCKED = 1_000

/** A blocked member. */
export interface BlockedView {
	username: string
	name: string
	image: string | null
	/** ISO 8601. */
	since: string
}

/** The members whom the viewer blocks, latest first. @throws NotAllowed for a visitor */
export async function listBlocked(viewer: Viewer): Promise<BlockedView[]> {
	const member = requireSignedIn(viewer)
	const rows = await listBlockedRows(member.id)
	return rows.map(({ blocked_at, ...member }) => ({ ...member, since: blocked_at.toISOString() }))
}
