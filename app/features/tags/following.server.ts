import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { Invalid, NotAllowed, NotFound } from '~/lib/errors.ts'
import type { Viewer } from '~/lib/viewer.ts'
import { db } from '~/platform/db/db.server.ts'
import { countFollowedTags, listFollowedRows, writeFollow } from './following.queries.server.ts'
import { findCategory, findTag } from './tags.queries.server.ts'

/** A tag by name or a category by slug. */
export type FollowTarget = { tag: string } | { category: string }

/** Tags that one member may follow: as many as their list shows. Of categories a site has few. */
export const MAX_FOLLOWED_TAGS = 200

/**
 * Follows a tag or a category, or no longer.
 * @throws NotAllowed for a visitor, and for a suspended member who begins to; NotFound, Invalid for a tag too many, TooMany
 */
export async function setFollowing(viewer: Viewer, target: FollowTarget, following: boolean): Promise<void> {
	if (!viewer) throw new NotAllowed('Log in first.')
	await countUse('toggles', viewer)
	if (following) await requireMayWrite(viewer.id)
	if ('tag' in target) {
		const tag = await findTag(target.tag, viewer.id)
		if (!tag) throw new NotFound('There is no such tag.')
		await followTag(viewer.id, tag.id, following)
	} else {
		const category = await findCategory(target.category)
		if (!category) throw new NotFound('There is no such category.')
		await writeFollow(db(), viewer.id, { categoryId: category.id }, following)
	}
}

/** The member's row is locked meanwhile, so that of two follows at once the second one is counted after the first. */
async function followTag(userId: number, tagId: number, following: boolean): Promise<void> {
	await db()
		.transaction()
		.execute(async (trx) => {
			await lockMember(trx, userId)
			if (following && (await countFollowedTags(trx, userId, tagId)) >= MAX_FOLLOWED_TAGS)
				throw new Invalid(`You already follow ${MAX_FOLLOWED_TAGS} tags. Unfollow one first.`)
			await writeFollow(trx, userId, { tagId }, following)
		})
}

/** The tags (names) and categories (slugs) that a member follows; nothing for a visitor. */
export async function listFollowed(viewer: Viewer): Promise<{ tags: string[]; categories: string[] }> {
	return viewer ? listFollowedRows(viewer.id) : { tags: [], categories: [] }
}
