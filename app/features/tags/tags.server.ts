import type { TagView } from '~/features/questions/question.view.ts'
import { limits } from '~/features/questions/questions.limits.ts'
import { isStorable } from '~/lib/clean.ts'
import { toTag } from './tags.limits.ts'
import { listTagsLike } from './tags.queries.server.ts'

/** Tags that a text may be the beginning of, with how many queries each has; none for what can be no tag. */
export async function suggestTags(text: string, limit: number): Promise<TagView[]> {
	const prefix = toTag(text)
	if (prefix === '' || prefix.length > limits.tagMax || !isStorable(prefix)) return []
	const rows = await listTagsLike(prefix, limit)
	return rows.map((row) => ({ name: row.name, count: row.query_count }))
}
