import { db } from '~/platform/db/db.server.ts'

/** Used tags that begin with `prefix` (lower case), the most used first. */
export function listTagsLike(prefix: string, limit: number): Promise<{ name: string; query_count: number }[]> {
	return db()
		.selectFrom('tags')
		.select(['name', 'query_count'])
		.where('name', 'like', `${prefix.replace(/[\\%_]/g, '\\$&')}%`)
		.where('query_count', '>', 0)
		.orderBy('query_count', 'desc')
		.orderBy('name')
		.limit(limit)
		.execute()
}
