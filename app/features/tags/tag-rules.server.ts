import { Invalid } from '~/lib/errors.ts'
import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { listSetting, settingSection } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { MAX_TAG, toTag } from './tags.limits.ts'

/* Which tags a query needs, and which only moderators set. */

const MAX_RESERVED = 20

/** Tags that members do not set, such as “official”. */
export const tagSection = settingSection({
	name: 'tags',
	title: 'Reserved tags',
	about: 'Tags that only moderators and admins can use, such as announcement.',
	settings: {
		reserved: listSetting({
			label: 'Reserved tags',
			hint: 'Separated by commas, such as announcement, official. Their synonyms count too; queries that have one keep it.',
		}),
	},
	async check({ reserved }) {
		const wrong = reserved.find((tag) => toTag(tag) !== tag || tag.length > MAX_TAG)
		if (wrong !== undefined) throw invalid('reserved', `“${wrong}” can be no tag.`)
		if (reserved.length > MAX_RESERVED) throw invalid('reserved', `Reserve at most ${MAX_RESERVED} tags.`)
	},
})

/** The tags that this viewer does not set, as a form tells them. */
export function tagsReservedFrom(viewer: Viewer): readonly string[] {
	return isModerator(viewer) ? [] : siteSettings(tagSection).reserved
}

/** Names the tags that are meant, as they are stored. */
export type TagMeaning = (tags: readonly string[]) => Promise<readonly string[]>

interface TaggedQuery {
	/** As they are stored. */
	tags: readonly string[]
	category: { title: string; required_tags: readonly string[] }
	/** The tags that it had in this category; null where it is new there. A text that keeps them is no reason to ask for others. */
	before: readonly string[] | null
	/** All tags that it had. */
	had: readonly string[]
}

/**
 * Why a query may not have these tags, as a sentence; null where it may.
 * @param mayReserve whether whoever sets them may set reserved ones
 */
export async function tagRefusal(
	{ tags, category, before, had }: TaggedQuery,
	mayReserve: boolean,
	meaning: TagMeaning,
): Promise<string | null> {
	const reserved = mayReserve ? [] : await meaning(siteSettings(tagSection).reserved)
	const taken = tags.find((tag) => reserved.includes(tag) && !had.includes(tag))
	if (taken !== undefined) return `Only moderators set the tag “${taken}”. Remove it.`
	if (before !== null && before.length === tags.length && tags.every((tag) => before.includes(tag))) return null
	const required = await meaning(category.required_tags)
	if (required.length === 0 || tags.some((tag) => required.includes(tag))) return null
	return required.length === 1
		? `A query in “${category.title}” needs the tag “${required[0]}”. Add it, or choose another category.`
		: `A query in “${category.title}” needs one of these tags: ${required.join(', ')}. Add one, or choose another category.`
}

/** As {@link tagRefusal}, within the transaction that writes. A pseudonym with a reserved tag would say that it is a moderator. @throws Invalid */
export async function requireTags(
	viewer: SignedIn,
	query: TaggedQuery & { isPseudonymous: boolean },
	{ trx, meantIn }: { trx: Executor; meantIn: (trx: Executor, lists: string[][]) => Promise<string[][]> },
): Promise<void> {
	const meaning: TagMeaning = async (tags) => (tags.length === 0 ? [] : ((await meantIn(trx, [[...tags]]))[0] ?? []))
	const refusal = await tagRefusal(query, isModerator(viewer) && !query.isPseudonymous, meaning)
	if (refusal) throw invalid('tags', refusal)
}

function invalid(field: string, message: string): Invalid {
	return new Invalid(message, { [field]: message })
}
