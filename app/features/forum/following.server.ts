import { requireMayWrite } from '~/features/accounts/suspension.server.ts'
import { NotAllowed, NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { listFollowedRows, writeFollow } from './following.queries.server.ts'
import { findCategory, findTag } from './forum.queries.server.ts'

/** A tag by name or a category by slug. */
export type Place = { tag: string } | { category: string }

/**
 * Follows a tag or a category, or no longer.
 * @throws NotAllowed for a visitor, and for a suspended member who begins to; NotFound
 */
export async function follow(viewer: Viewer, place: Place, following: boolean): Promise<void> {
	if (!viewer) throw new NotAllowed('Log in first.')
	if (following) await requireMayWrite(viewer.id)
	if ('tag' in place) {
		const tag = await findTag(place.tag, viewer.id)
		if (!tag) throw new NotFound('There is no such tag.')
		await writeFollow(viewer.id, { tagId: tag.id }, following)
	} else {
		const category = await findCategory(place.category)
		if (!category) throw new NotFound('There is no such category.')
		await writeFollow(viewer.id, { categoryId: category.id }, following)
	}
}

/** The tags (names) and categories (slugs) that a member follows; nothing for a visitor. */
export async function listFollowed(viewer: Viewer): Promise<{ tags: string[]; categories: string[] }> {
	return viewer ? listFollowedRows(viewer.id) : { tags: [], categories: [] }
}
