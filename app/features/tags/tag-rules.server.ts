import { Invalid } from '~/lib/errors.ts'
import { isModerator, type SignedIn, type Viewer } from '~/lib/viewer.ts'
import type { Executor } from '~/platform/db/db.server.ts'
import { listSetting, settingSection } from '~/platform/settings/setting.ts'
import { siteSettings } from '~/platform/settings/settings.server.ts'
import { MAX_TAG, normalizeTag } from './tags.limits.ts'

/* Required tags, and tags reserved for moderators. */

const MAX_RESERVED = 20

/** Tags that only moderators may set, such as “official”. */
export const tagSection = settingSection({
	name: 'tags',
	title: 'Reserved tags',
	about: 'Tags that only moderators and admins can use, such as announcement.',
	settings: {
		reserved: listSetting({
			label: 'Reserved tags',
			hint: 'Separated by commas, such as announcement, official. Their synonyms count too; queries that have one keep it.',
			separator: /,/,
			// As the forum writes a tag of several words.
			item: (text) => text.replace(/\s+/g, '-'),
		}),
	},
	async check({ reserved }) {
		const wrong = reserved.find((tag) => normalizeTag(tag) !== tag || tag.length > MAX_TAG)
		if (wrong !== undefined) throw invalid('reserved', `“${wrong}” can be no tag.`)
		if (reserved.length > MAX_RESERVED) throw invalid('reserved', `Reserve at most ${MAX_RESERVED} tags.`)
	},
})

/** The reserved tags that this viewer may not set, for the form. */
export function tagsReservedFrom(viewer: Viewer): readonly string[] {
	return isModerator(viewer) ? [] : siteSettings(tagSection).reserved
}

/** Resolves synonyms to stored tags. */
export type TagResolver = (tags: readonly string[]) => Promise<readonly string[]>

interface TaggedQuery {
	/** As they are stored. */
	tags: readonly string[]
	category: { title: string; required_tags: readonly string[] }
	/** The tags that it had in this category; null if it is new there. Edits that keep them are not asked for other tags. */
	before: readonly string[] | null
	/** All tags that it had. */
	had: readonly string[]
}

/** Why a question may not have these tags, as a sentence; null if it may. @param mayReserve whether reserved tags may be set */
export async function tagRefusal(
	{ tags, category, before, had }: TaggedQuery,
	mayReserve: boolean,
	meaning: TagResolver,
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

/**
 * Like {@link tagRefusal}, in the transaction of the write. Pseudonyms may not have reserved tags, which would reveal a moderator.
 * @throws Invalid
 */
export async function requireTags(
	viewer: SignedIn,
	query: TaggedQuery & { isPseudonymous: boolean },
	{ trx, meantIn }: { trx: Executor; meantIn: (trx: Executor, lists: string[][]) => Promise<string[][]> },
): Promise<void> {
	const meaning: TagResolver = async (tags) => (tags.length === 0 ? [] : ((await meantIn(trx, [[...tags]]))[0] ?? []))
	const refusal = await tagRefusal(query, isModerator(viewer) && !query.isPseudonymous, meaning)
	if (refusal) throw invalid('tags', refusal)
}

function invalid(field: string, message: string): Invalid {
	return new Invalid(message, { [field]: message })
}
