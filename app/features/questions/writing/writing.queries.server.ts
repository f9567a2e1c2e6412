import { sql } from 'kysely'
import { addToQuestionCount, moveQuestion, retagQuestion } from '~/features/tags/tags.queries.server.ts'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { PostStatus } from '~/platform/db/schema.ts'

export interface QuestionTexts {
	title: string
	description: string
	descriptionHtml: string
	excerpt: string
	tags: string[]
	categoryId: number
}

/** What becomes of a post: its status, the moderator's words, and who did it; nobody where a rule did. */
export interface StatusChange {
	status: PostStatus
	reason?: string
	by: number | null
}

export function newStatus({ status, reason = '', by }: StatusChange) {
	return sql`status = ${status}, status_reason = ${reason}, status_by = ${by}, status_at = now()`
}

/** The next id of a question, which addresses name before the row is there. */
export async function takeQuestionId(trx: Executor): Promise<number> {
	const { rows } = await sql<{ id: number }>`
		select nextval(pg_get_serial_sequence('questions', 'id'))::int as id`.execute(trx)
	if (!rows[0]) throw new Error('Questions have no sequence.')
	return rows[0].id
}

/**
 * Inserts a question with an id of {@link takeQuestionId}. A pending one is in no count, list or search.
 * @param question `authorId`: the account that others see, of a member or a pseudonym
 */
export async function insertQuestion(
	trx: Executor,
	{ id, authorId, status }: { id: number; authorId: number; status: 'published' | 'pending' },
	texts: QuestionTexts,
): Promise<void> {
	const isPublished = status === 'published'
	await sql`
		insert into questions (id, author_id, category_id, title, description, description_html, excerpt, tags, status, status_at, search)
		values (${id}, ${authorId}, ${texts.categoryId}, ${texts.title}, ${texts.description}, ${texts.descriptionHtml}, ${texts.excerpt},
			${texts.tags}, ${status}, ${isPublished ? null : sql`now()`},
			${isPublished ? sql`question_document(${texts.title}, ${texts.tags}, ${texts.description})` : ''})`.execute(trx)
	if (isPublished) await includeQuestion(trx, id, texts.categoryId, texts.tags)
}

/** Counts a question that has become published and lists it under its tags. */
async function includeQuestion(trx: Executor, id: number, categoryId: number, tags: string[]): Promise<void> {
	await addToQuestionCount(trx, categoryId, 1)
	await retagQuestion(trx, id, tags)
}

/** A question for writing: locked, so that two edits or an edit and a delete come one after the other. */
export async function lockQuestion(
	trx: Executor,
	id: number,
): Promise<{ author_id: number; category_id: number; version: number } | undefined> {
	return trx
		.selectFrom('questions')
		.select(['author_id', 'category_id', 'version'])
		.where('id', '=', id)
		.where('status', '=', 'published')
		.forUpdate()
		.executeTakeFirst()
}

/**
 * Replaces the texts, tags and category of a question that {@link lockQuestion} holds.
 * @param status `pending` when it must wait for a moderator from now on
 */
export async function updateQuestion(
	trx: Executor,
	id: number,
	before: { category_id: number },
	texts: QuestionTexts,
	status: 'published' | 'pending',
): Promise<void> {
	if (status === 'pending') await removeQuestion(trx, id, before, { status, by: null })
	await sql`update questions set title = ${texts.title}, description = ${texts.description}, description_html = ${texts.descriptionHtml},
		excerpt = ${texts.excerpt}, tags = ${texts.tags}, category_id = ${texts.categoryId}, edited_at = now(), version = version + 1 where id = ${id}`.execute(
		trx,
	)
	if (status === 'pending') return
	if (before.category_id !== texts.categoryId) await moveQuestion(trx, before.category_id, texts.categoryId)
	await retagQuestion(trx, id, texts.tags)
	await rebuildSearch(trx, id)
}

/**
 * Takes a published question that the caller holds out of the forum and out of every count. Its row stays.
 * @param change `into`: the question that it is merged into
 */
export async function removeQuestion(
	trx: Executor,
	id: number,
	before: { category_id: number },
	change: StatusChange & { into?: number },
): Promise<void> {
	await sql`update questions set ${newStatus(change)}, merged_into = ${change.into ?? null} where id = ${id}`.execute(
		trx,
	)
	await addToQuestionCount(trx, before.category_id, -1)
	await retagQuestion(trx, id, [])
}

/**
 * Publishes a question that is not: one that was pending, and one that {@link removeQuestion} took out. It comes into its
 * category, its tags, the search and every count.
 * @param by who does it
 * @param mainTags what its tags are stored as by now; those it had unless they are given
 */
export async function publishQuestion(
	trx: Executor,
	id: number,
	by: number,
	mainTags: string[] | null = null,
): Promise<void> {
	const { rows } = await sql<{ category_id: number; tags: string[] }>`
		update questions set ${newStatus({ status: 'published', by })}, merged_into = null, tags = coalesce(${mainTags}::text[], tags)
		where id = ${id} returning category_id, tags`.execute(trx)
	const question = rows[0]
	if (!question) throw new Error('There is no question to publish.')
	await includeQuestion(trx, id, question.category_id, question.tags)
	await rebuildSearch(trx, id)
}

/** Gives a post that is not published another status in which it is not. */
export async function setStatus(
	trx: Executor,
	kind: 'query' | 'comment',
	id: number,
	change: StatusChange,
): Promise<void> {
	const table = kind === 'query' ? sql`questions` : sql`comments`
	await sql`update ${table} set ${newStatus(change)} where id = ${id}`.execute(trx)
}

/**
 * Inserts a comment with an id that was taken for it; none where the parent is not under this question or not published. A pending
 * one is in no count and no search.
 */
export async function insertComment(
	trx: Executor,
	comment: {
		id: number
		questionId: number
		authorId: number
		parentId: number | null
		body: string
		bodyHtml: string
		status: 'published' | 'pending'
	},
): Promise<void> {
	const { id, questionId, authorId, parentId, body, bodyHtml, status } = comment
	await sql`
		with parent as (select path from comments where id = ${parentId} and question_id = ${questionId} and status = 'published' for share),
		added as (
			insert into comments (id, question_id, author_id, parent_id, path, body, body_html, status, status_at)
			select ${id}::int, ${questionId}, ${authorId}, ${parentId}::int, coalesce(parent.path, '{}') || ${id}::int, ${body}, ${bodyHtml},
				${status}::text, case when ${status}::text = 'pending' then now() end
			from (select) as one left join parent on true where ${parentId}::int is null or parent.path is not null
			returning question_id, status, body),
		counted as (
			update questions set comment_count = comment_count + 1, active_at = now(), search = grown_document(search, added.body)
			from added where questions.id = added.question_id and added.status = 'published')
		select from added`.execute(trx)
}

/** A comment for writing, with its question locked first, so that counters and threads change one at a time. */
export async function lockComment(
	trx: Executor,
	id: number,
): Promise<{ author_id: number; question_id: number; version: number; body: string } | undefined> {
	const comment = await trx.selectFrom('comments').select(['question_id']).where('id', '=', id).executeTakeFirst()
	if (!comment || !(await lockQuestion(trx, comment.question_id))) return undefined
	return trx
		.selectFrom('comments')
		.select(['author_id', 'question_id', 'version', 'body'])
		.where('id', '=', id)
		.where('status', '=', 'published')
		.forUpdate()
		.executeTakeFirst()
}

/** Replaces the text of a comment that {@link lockComment} holds. @param status as for {@link updateQuestion} */
export async function updateComment(
	trx: Executor,
	id: number,
	questionId: number,
	texts: { body: string; bodyHtml: string },
	status: 'published' | 'pending',
): Promise<void> {
	await sql`update comments set body = ${texts.body}, body_html = ${texts.bodyHtml}, edited_at = now(), version = version + 1 where id = ${id}`.execute(
		trx,
	)
	if (status === 'pending') await removeComment(trx, id, questionId, { status, by: null })
	else await rebuildSearch(trx, questionId)
}

/** Takes a published comment out of the forum; its place stays as long as replies need it. Its question must be locked. */
export async function removeComment(
	trx: Executor,
	id: number,
	questionId: number,
	change: StatusChange,
): Promise<void> {
	const isDeletion = change.status === 'deleted'
	await sql`update comments set ${newStatus(change)}, was_solution = is_solution, is_solution = false,
		chosen_at = case when ${isDeletion}::boolean then null else chosen_at end where id = ${id}`.execute(trx)
	await recount(trx, questionId, -1, !isDeletion)
}

/**
 * Publishes a comment that is not: one that was pending, and one that {@link removeComment} took out. Its question must be locked.
 * @param from the status that it has, and who publishes it
 * @returns false when it has another status by now
 */
export async function publishComment(
	trx: Executor,
	id: number,
	questionId: number,
	{ from, by }: { from: PostStatus; by: number },
): Promise<boolean> {
	const { rows } = await sql`
		update comments set ${newStatus({ status: 'published', by })}, is_solution = was_solution, was_solution = false,
			chosen_at = case when status = 'deleted' and was_solution then now() else chosen_at end
		where id = ${id} and status = ${from} returning id`.execute(trx)
	if (rows.length > 0) await recount(trx, questionId, 1, from !== 'deleted')
	return rows.length > 0
}

/**
 * Count, solved state and words of a question after one of its comments came or went.
 * @param isActivity whether its place among the recently active ones follows: a deletion and its undo leave that as it is
 */
async function recount(trx: Executor, questionId: number, difference: 1 | -1, isActivity: boolean): Promise<void> {
	const activeAt = sql`greatest(created_at, (select max(created_at) from comments where question_id = ${questionId} and status = 'published'))`
	await sql`update questions set comment_count = comment_count + ${difference},
		solved = exists (select 1 from comments where question_id = ${questionId} and is_solution),
		active_at = ${isActivity ? activeAt : sql`active_at`} where id = ${questionId}`.execute(trx)
	await rebuildSearch(trx, questionId)
}

const commentsOf = sql`comments m where m.question_id = t.id and m.status = 'published'`

/** What is stored with a question about its comments. */
export const commentCounters: readonly Counter[] = [
	{ table: 'questions', column: 'comment_count', actual: sql`(select count(*) from ${commentsOf})` },
	{ table: 'questions', column: 'solved', actual: sql`exists (select from ${commentsOf} and m.is_solution)` },
]

/** Makes the text that searches look at anew, from the query and its comments. */
async function rebuildSearch(trx: Executor, id: number): Promise<void> {
	await sql`update questions set search = whole_document(questions) where id = ${id}`.execute(trx)
}

/** How many edits of a question, or of a comment, are stored. */
export async function countRevisions(
	trx: Executor,
	of: { questionId: number } | { commentId: number },
): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from revisions where ${whose(of)}`.execute(trx)
	return rows[0]?.count ?? 0
}

/**
 * Records what a question says before `texts` take its place; nothing when they say the same. The question must be locked.
 * @param editorId the account that others see, of a member or a pseudonym
 */
export async function recordQuestionRevision(
	trx: Executor,
	id: number,
	editorId: number,
	texts: QuestionTexts,
): Promise<void> {
	await sql`
		insert into revisions (question_id, editor_id, by_moderator, title, description, tags, category)
		select q.id, ${editorId}::int, q.author_id <> ${editorId}, q.title, q.description, q.tags, c.title
		from questions q join categories c on c.id = q.category_id
		where q.id = ${id} and (q.title, q.description, q.tags, q.category_id)
			is distinct from (${texts.title}, ${texts.description}, ${texts.tags}::text[], ${texts.categoryId}::int)`.execute(
		trx,
	)
}

/** As {@link recordQuestionRevision}, for a comment. */
export async function recordCommentRevision(trx: Executor, id: number, editorId: number, body: string): Promise<void> {
	await sql`
		insert into revisions (question_id, comment_id, editor_id, by_moderator, body)
		select question_id, id, ${editorId}::int, author_id <> ${editorId}, body from comments
		where id = ${id} and body <> ${body}`.execute(trx)
}

/** A text before an edit, and the edit. */
export interface RevisionRow {
	id: number
	made_at: string
	by_moderator: boolean
	username: string
	name: string
	/** As of `authorColumns`. */
	pseudonym_verified: boolean | null
	title: string | null
	description: string | null
	tags: string[] | null
	category: string | null
	body: string | null
}

/** Edits of a question or a comment, newest first, from the one named by `from` on. */
export async function listRevisionRows(
	of: { questionId: number } | { commentId: number },
	from: number | null,
	limit: number,
): Promise<RevisionRow[]> {
	const { rows } = await sql<RevisionRow>`
		select r.id, to_char(r.made_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as made_at, r.by_moderator,
			u.username, u.name, u.pseudonym_verified, r.title, r.description, r.tags, r.category, r.body
		from revisions r join users u on u.id = r.editor_id
		where ${whose(of)}
		${from === null ? sql`` : sql`and r.id <= ${from}`}
		order by r.id desc limit ${limit}`.execute(db())
	return rows
}

function whose(of: { questionId: number } | { commentId: number }) {
	return 'questionId' in of
		? sql`question_id = ${of.questionId} and comment_id is null`
		: sql`comment_id = ${of.commentId}`
}

/** A post that was created. */
export interface CreatedPost {
	id: number
	url: string
}

interface Claim {
	authorId: number
	key: string
	digest: string
}

/** How long an idempotency key is stored, at least. */
const KEY_LIFETIME = sql.raw("interval '1 day'")

/**
 * Takes a key for this transaction; another one that wants the same waits here until this one ends. Must come before any
 * other lock, so that whoever waits holds nothing.
 * @returns what the key was used for already, or null when it is free
 */
export async function claimKey(
	trx: Executor,
	{ authorId, key, digest }: Claim,
): Promise<{ digest: string; post_id: number | null; url: string | null } | null> {
	const { rows } = await sql`
		insert into sent_posts (author_id, key, digest) values (${authorId}, ${key}, ${digest})
		on conflict do nothing returning key`.execute(trx)
	if (rows.length > 0) {
		await deleteOldKeys(trx, authorId)
		return null
	}
	return trx
		.selectFrom('sent_posts')
		.select(['digest', 'post_id', 'url'])
		.where('author_id', '=', authorId)
		.where('key', '=', key)
		.executeTakeFirstOrThrow()
}

/** Stores what the submission with a claimed key has created. */
export async function recordKeyResult(
	trx: Executor,
	{ authorId, key }: Omit<Claim, 'digest'>,
	made: CreatedPost,
): Promise<void> {
	await trx
		.updateTable('sent_posts')
		.set({ post_id: made.id, url: made.url })
		.where('author_id', '=', authorId)
		.where('key', '=', key)
		.execute()
}

/** Each submission deletes old keys of its author: of a member who writes no more, those of their last day stay. */
async function deleteOldKeys(trx: Executor, authorId: number): Promise<void> {
	await sql`delete from sent_posts where ctid in (
		select ctid from sent_posts where author_id = ${authorId} and sent_at < now() - ${KEY_LIFETIME} for update skip locked)`.execute(
		trx,
	)
}
