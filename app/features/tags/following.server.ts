import { lockMember } from '~/features/accounts/accounts.queries.server.ts'
import { requireMayWrite } from '~/features/accounts/security/suspension.server.ts'
import { lockMayWrite } from '~/features/members/members.server.ts'
import { countUse } from '~/features/rate-limits/rate-limits.server.ts'
import { lockTermsShared } from '~/features/terms/terms.queries.server.ts'
import { storable } from '~/lib/clean.ts'
import { Invalid, NotFound } from '~/lib/errors.ts'
import { requireSignedIn, type Viewer } from '~/lib/viewer.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { countFollowedTags, listFollowedRows, writeFollow } from './following.queries.server.ts'
import { findCategory, findTag, lockCategoriesShared } from './tags.queries.server.ts'

/** A tag by name or a category by slug. */
export type FollowTarget = { tag: string } | { category: string }

/** Tags that one member may follow: as many as their list shows. Of categories a site has few. */
export const MAX_FOLLOWED_TAGS = 200

/**
 * Follows or unfollows a tag or a category.
 * @throws NotAllowed for a visitor, and for a suspended member who begins to; NotFound, Invalid for one tag too many, TooManyRequests
 */
export async function setFollowing(viewer: Viewer, target: FollowTarget, following: boolean): Promise<void> {
	const member = requireSignedIn(viewer)
	await countUse('toggles', member)
	if (following) await requireMayWrite(member.id)
	await db()
		.transaction()
		.execute(async (trx) => {
			if ('tag' in target) await followTag(trx, member.id, target.tag, following)
			else await followCategory(trx, member.id, target.category, following)
			// Last, as an account is locked after terms.
			if (following) await lockMayWrite(trx, member.id)
		})
}

/**
 * The terms are locked meanwhile, as a merge moves the followers of a tag; so is the member's row, so that of two concurrent
 * requests the second counts the first.
 */
async function followTag(trx: Executor, userId: number, name: string, following: boolean): Promise<void> {
	await lockTermsShared(trx)
	const tag = await findTag(storable(name).toLowerCase(), userId, trx)
	if (!tag) throw new NotFound('There is no such tag.')
	await lockMember(trx, userId)
	if (following && (await countFollowedTags(trx, userId, tag.id)) >= MAX_FOLLOWED_TAGS)
		throw new Invalid(`You already follow ${MAX_FOLLOWED_TAGS} tags. Unfollow one first.`)
	await writeFollow(trx, userId, { tagId: tag.id }, following)
}

/** The categories are locked meanwhile, as a merge moves the followers of one. */
async function followCategory(trx: Executor, userId: number, slug: string, following: boolean): Promise<void> {
	await lockCategoriesShared(trx)
	const category = await findCategory(storable(slug), trx)
	if (!category) throw new NotFound('There is no such category.')
	await writeFollow(trx, userId, { categoryId: category.id }, following)
}

/** The tags (names) and categories (slugs) that a member follows; nothing for a visitor. */
export async function listFollowed(viewer: Viewer): Promise<{ tags: string[]; categories: string[] }> {
	return viewer ? listFollowedRows(viewer.id) : { tags: [], categories: [] }
}
