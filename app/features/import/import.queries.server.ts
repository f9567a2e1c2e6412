import { sql } from 'kysely'
import { refreshWordCounts } from '~/features/search/similar/similar.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'

export interface ImportedAuthorRow {
	username: string
	name: string
	email: string
}

export interface ImportedQuestion {
	authorId: number
	categoryId: number
	title: string
	description: string
	descriptionHtml: string
	excerpt: string
	tags: string[]
	createdAt: Date
	activeAt: Date
	score: number
	source: string
	sourceId: string
	sourceUrl: string | null
	licence: string | null
}

export interface NewImportedComment {
	/** Taken from {@link reserveCommentIds}. */
	id: number
	questionId: number
	authorId: number
	path: number[]
	body: string
	bodyHtml: string
	createdAt: Date
	isSolution: boolean
	score: number
	sourceId: string | null
	sourceUrl: string | null
	licence: string | null
}

/** Which of these source ids were imported already. */
export async function findImported(trx: Executor, source: string, ids: string[]): Promise<Set<string>> {
	const rows = await trx
		.selectFrom('questions')
		.select('source_id')
		.where('source', '=', source)
		.where('source_id', 'in', ids)
		.execute()
	return new Set(rows.map((row) => row.source_id ?? ''))
}

/** Creates the missing accounts, which nobody can log in to. @returns ids of all of them by username */
export async function saveImportedAuthors(trx: Executor, authors: ImportedAuthorRow[]): Promise<Map<string, number>> {
	if (authors.length === 0) return new Map()
	const usernames = authors.map(({ username }) => username)
	const known = await findImportedAuthors(trx, usernames)
	const missing = authors.filter(({ username }) => !known.has(username))
	if (missing.length === 0) return known
	await trx
		.insertInto('users')
		.values(missing.map((author) => ({ ...author, image: null, imported: true })))
		.onConflict((conflict) => conflict.doNothing())
		.execute()
	return findImportedAuthors(trx, usernames)
}

/** The ids of accounts by username, including former usernames, which belong to nobody else. */
export async function findImportedAuthors(trx: Executor, usernames: string[]): Promise<Map<string, number>> {
	const { rows } = await sql<{ username: string; user_id: number }>`
		select username, user_id from usernames where username = any(${usernames}) and user_id is not null`.execute(trx)
	return new Map(rows.map((row) => [row.username, row.user_id]))
}

/** What an import needs of a category: the tags that select it, and the tags of which a question there needs one. */
export interface ImportCategory {
	id: number
	slug: string
	title: string
	tags: string[]
	required_tags: string[]
}

/** The categories in order, with the tags that select them. */
export function listCategoryTags(trx: Executor): Promise<ImportCategory[]> {
	return trx
		.selectFrom('categories')
		.select(['id', 'slug', 'title', 'tags', 'required_tags'])
		.where('merged_into', 'is', null)
		.orderBy('position')
		.execute()
}

/** What identifies an imported question: ids are those of its source, and two sources may use the same. */
export function importKey({ source, sourceId }: Pick<ImportedQuestion, 'source' | 'sourceId'>): string {
	return `${source}\n${sourceId}`
}

/** Inserts questions that were not imported yet. @returns the ids of the new ones by {@link importKey} */
export async function insertQuestions(trx: Executor, questions: ImportedQuestion[]): Promise<Map<string, number>> {
	const rows = await trx
		.insertInto('questions')
		.values(
			questions.map((question) => ({
				author_id: question.authorId,
				category_id: question.categoryId,
				title: question.title,
				description: question.description,
				description_html: question.descriptionHtml,
				excerpt: question.excerpt,
				tags: question.tags,
				created_at: question.createdAt,
				active_at: question.activeAt,
				score: question.score,
				source: question.source,
				source_id: question.sourceId,
				source_url: question.sourceUrl,
				licence: question.licence,
			})),
		)
		.onConflict((conflict) => conflict.columns(['source', 'source_id']).doNothing())
		.returning(['id', 'source', 'source_id'])
		.execute()
	return new Map(
		rows.map(({ id, source, source_id }) => [importKey({ source: source ?? '', sourceId: source_id ?? '' }), id]),
	)
}

/** Reserves comment ids, in order: paths contain the ids before the rows are inserted. */
export async function reserveCommentIds(trx: Executor, count: number): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select nextval(pg_get_serial_sequence('comments', 'id'))::int as id from generate_series(1, ${count})`.execute(trx)
	return rows.map((row) => row.id)
}

/** Inserts imported comments of new questions. */
export async function insertComments(trx: Executor, comments: NewImportedComment[]): Promise<void> {
	// PostgreSQL allows 65,535 parameters per statement.
	for (let from = 0; from < comments.length; from += 4_000) {
		await trx
			.insertInto('comments')
			.values(
				comments.slice(from, from + 4_000).map((comment) => ({
					id: comment.id,
					question_id: comment.questionId,
					author_id: comment.authorId,
					parent_id: comment.path.at(-2) ?? null,
					path: comment.path,
					body: comment.body,
					body_html: comment.bodyHtml,
					created_at: comment.createdAt,
					is_solution: comment.isSolution,
					score: comment.score,
					source_id: comment.sourceId,
					source_url: comment.sourceUrl,
					licence: comment.licence,
				})),
			)
			.execute()
	}
}

/** Updates everything that depends on new questions: counters, tags, solved, the search document. */
export async function refreshImportedQuestions(trx: Executor, ids: number[]): Promise<void> {
	await sql`
		update questions set
			comment_count = (select count(*) from comments where question_id = questions.id and status = 'published'),
			solved = exists (select 1 from comments where question_id = questions.id and is_solution),
			search = whole_document(questions)
		where id = any(${ids})`.execute(trx)
	await sql`insert into tags (name) select distinct unnest(tags) as name from questions where id = any(${ids}) order by name on conflict do nothing`.execute(
		trx,
	)
	await sql`
		insert into question_tags (tag_id, question_id, created_at)
		select tags.id, questions.id, questions.created_at from questions, unnest(questions.tags) as name join tags using (name) where questions.id = any(${ids})`.execute(
		trx,
	)
	await sql`
		update tags set question_count = question_count + fresh.count
		from (select tag_id, count(*)::int as count from question_tags where question_id = any(${ids}) group by tag_id order by tag_id) fresh where tags.id = fresh.tag_id`.execute(
		trx,
	)
	await sql`
		update categories set question_count = question_count + fresh.count
		from (select category_id, count(*)::int as count from questions where id = any(${ids}) group by category_id) fresh where categories.id = fresh.category_id`.execute(
		trx,
	)
	await sql`update counters set value = value + ${ids.length} where name = 'questions'`.execute(trx)
}

/**
 * Updates the planner's statistics. Until autovacuum does, minutes later, searches would take ten times as long: plans for an empty table
 * scan the full one.
 */
export async function refreshStatistics(): Promise<void> {
	await sql`vacuum (analyze) users, questions, comments, question_tags, tags`.execute(db())
	await refreshWordCounts()
}

/** The number of questions of a source. */
export async function countSeededQuestions(source: string): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from questions where source = ${source}`.execute(db())
	return rows[0]?.count ?? 0
}

/** Ids of the first 5,000 members with an address of this domain. */
export async function listSeedAuthors(domain: string): Promise<number[]> {
	const { rows } = await sql<{ id: number }>`
		select id from users where email like ${`%@${domain}`} order by id limit 5000`.execute(db())
	return rows.map(({ id }) => id)
}

/** Updates the statistics after a bulk load; the planner would still assume an empty forum. */
export async function analyzeForumTables(): Promise<void> {
	for (const table of ['questions', 'comments', 'question_tags', 'tags'])
		await sql`vacuum (analyze) ${sql.id(table)}`.execute(db())
	await refreshWordCounts()
}
