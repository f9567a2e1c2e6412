import { type RawBuilder, sql } from 'kysely'
import { addToQuestionCount, moveQuestion, retagQuestion } from '~/features/tags/tags.queries.server.ts'
import type { Counter } from '~/platform/db/counters.queries.server.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import type { PostStatus } from '~/platform/db/schema.ts'
import { isoTime } from '~/platform/db/times.server.ts'

export interface QuestionTexts {
	title: string
	description: string
	descriptionHtml: string
	excerpt: string
	tags: string[]
	categoryId: number
}

/** A change of a post's status: the new status, the moderator's words, and who did it; nobody for a rule. */
export interface StatusChange {
	status: PostStatus
	reason?: string
	by: number | null
}

/** Assignments of an `update` that change a post's status. */
export function statusAssignments({ status, reason = '', by }: StatusChange) {
	return sql`status = ${status}, status_reason = ${reason}, status_by = ${by}, status_at = now()`
}

/** The next id of a question, which its address contains before the row exists. */
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
	const inserted = sql`
		insert into questions (id, author_id, category_id, title, description, description_html, excerpt, tags, status, status_at, never_published, search)
		values (${id}, ${authorId}, ${texts.categoryId}, ${texts.title}, ${texts.description}, ${texts.descriptionHtml}, ${texts.excerpt},
			${texts.tags}, ${status}, ${isPublished ? null : sql`now()`}, ${!isPublished},
			${isPublished ? sql`question_document(${texts.title}, ${texts.tags}, ${texts.description})` : ''})`.execute(trx)
	await Promise.all([inserted, isPublished && includeQuestion(trx, id, texts.categoryId, texts.tags)])
}

/** Counts a newly published question, and lists it under its tags. Its statements begin at once. */
async function includeQuestion(trx: Executor, id: number, categoryId: number, tags: string[]): Promise<void> {
	await Promise.all([addToQuestionCount(trx, categoryId, 1), retagQuestion(trx, id, tags)])
}

/** Locks a question for writing, so that two edits, or an edit and a deletion, are serialized. */
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
 * Replaces texts, tags and category of a locked question.
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
 * Removes a locked published question from the forum and all counts. Its row stays.
 * @param change `into`: the question that it is merged into
 */
export async function removeQuestion(
	trx: Executor,
	id: number,
	before: { category_id: number },
	change: StatusChange & { into?: number },
): Promise<void> {
	await sql`update questions set ${statusAssignments(change)}, merged_into = ${change.into ?? null} where id = ${id}`.execute(
		trx,
	)
	await addToQuestionCount(trx, before.category_id, -1)
	await retagQuestion(trx, id, [])
}

/**
 * Publishes a question that was pending or removed: adds it to its category, its tags, the search and all counts.
 * @param by who does it
 * @param tags its main tags as of now: those of an unpublished question are not respelled when their terms change
 */
export async function publishQuestion(trx: Executor, id: number, by: number, tags: string[]): Promise<void> {
	const { rows } = await sql<{ category_id: number }>`
		update questions set ${statusAssignments({ status: 'published', by })}, never_published = false, merged_into = null, tags = ${tags}
		where id = ${id} returning category_id`.execute(trx)
	const question = rows[0]
	if (!question) throw new Error('There is no question to publish.')
	await includeQuestion(trx, id, question.category_id, tags)
	await rebuildSearch(trx, id)
}

/** Changes the status of an unpublished post to another unpublished one. */
export async function setStatus(
	trx: Executor,
	kind: 'query' | 'comment',
	id: number,
	change: StatusChange,
): Promise<void> {
	const table = kind === 'query' ? sql`questions` : sql`comments`
	await sql`update ${table} set ${statusAssignments(change)} where id = ${id}`.execute(trx)
}

/** Maximum depth of a thread: its index has no room for longer paths. A reply to a comment on the last level becomes its sibling. */
const MAX_LEVELS = 500

/**
 * Inserts a comment with an id that was allocated before. A pending comment is in no count and no search.
 * @param columns of the comment `m` and its author `u`
 * @returns them; undefined where the parent is not a published comment of this question
 */
export async function insertComment<Row>(
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
	columns: RawBuilder<Row>,
): Promise<Row | undefined> {
	const { id, questionId, authorId, parentId, body, bodyHtml, status } = comment
	const { rows } = await sql<Row>`
		with parent as (select path[1:${MAX_LEVELS - 1}] as path from comments where id = ${parentId} and question_id = ${questionId} and status = 'published' for share),
		added as (
			insert into comments (id, question_id, author_id, parent_id, path, body, body_html, status, status_at, never_published)
			select ${id}::int, ${questionId}, ${authorId}, parent.path[cardinality(parent.path)], coalesce(parent.path, '{}') || ${id}::int, ${body}, ${bodyHtml},
				${status}::text, case when ${status}::text = 'pending' then now() end, ${status}::text = 'pending'
			from (select) as one left join parent on true where ${parentId}::int is null or parent.path is not null
			returning *),
		counted as (
			update questions set comment_count = comment_count + 1, active_at = now(), search = grown_document(search, added.body)
			from added where questions.id = added.question_id and added.status = 'published')
		select ${columns} from added m join users u on u.id = m.author_id`.execute(trx)
	return rows[0]
}

/** Locks a comment and first its question, which never changes, so that counters and threads change one at a time. Begins both at once. */
export async function lockComment(
	trx: Executor,
	id: number,
	questionId: number,
): Promise<
	{ author_id: number; question_id: number; version: number; body: string; is_solution: boolean } | undefined
> {
	const comment = trx
		.selectFrom('comments')
		.select(['author_id', 'question_id', 'version', 'body', 'is_solution'])
		.where((row) => row.and({ id, question_id: questionId, status: 'published' }))
		.forUpdate()
	const [question, locked] = await Promise.all([lockQuestion(trx, questionId), comment.executeTakeFirst()])
	return question && locked
}

/** Replaces the text of a locked comment. @param status as for {@link updateQuestion} */
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

/** Removes a published comment from the forum; its position stays while replies need it. Its question must be locked. */
export async function removeComment(
	trx: Executor,
	id: number,
	questionId: number,
	change: StatusChange,
): Promise<void> {
	const isDeletion = change.status === 'deleted'
	await sql`update comments set ${statusAssignments(change)}, was_solution = is_solution, is_solution = false,
		chosen_at = case when ${isDeletion}::boolean then null else chosen_at end where id = ${id}`.execute(trx)
	await recount(trx, questionId, -1, !isDeletion)
}

/**
 * Publishes a comment that was pending or removed. Its question must be locked. `status_at` is set where it was never published before.
 * @param from the status that it must have, and who publishes it
 * @returns false when it has another status by now, or its text was erased
 */
export async function publishComment(
	trx: Executor,
	id: number,
	questionId: number,
	{ from, by }: { from: PostStatus; by: number },
): Promise<boolean> {
	const { rows } = await sql`
		update comments set status = 'published', status_reason = '', status_by = ${by},
			status_at = case when never_published then now() end, never_published = false, is_solution = was_solution, was_solution = false,
			chosen_at = case when status = 'deleted' and was_solution then now() else chosen_at end
		where id = ${id} and status = ${from} and body <> '' returning id`.execute(trx)
	if (rows.length > 0) await recount(trx, questionId, 1, from !== 'deleted')
	return rows.length > 0
}

/**
 * Updates count, solved state and search document of a question after one of its comments was added or removed.
 * @param isActivity whether this counts as activity of the question: a deletion and its undo do not
 */
async function recount(trx: Executor, questionId: number, difference: 1 | -1, isActivity: boolean): Promise<void> {
	const activeAt = sql`greatest(created_at, (select max(created_at) from comments where question_id = ${questionId} and status = 'published'))`
	await sql`update questions set comment_count = comment_count + ${difference},
		solved = exists (select 1 from comments where question_id = ${questionId} and is_solution),
		active_at = ${isActivity ? activeAt : sql`active_at`} where id = ${questionId}`.execute(trx)
	await rebuildSearch(trx, questionId)
}

const commentsOf = sql`comments m where m.question_id = t.id and m.status = 'published'`

/** Counters that a question stores about its comments. */
export const commentCounters: readonly Counter[] = [
	{ table: 'questions', column: 'comment_count', actual: sql`(select count(*) from ${commentsOf})` },
	{ table: 'questions', column: 'solved', actual: sql`exists (select from ${commentsOf} and m.is_solution)` },
]

/** Rebuilds the search document from the question and its comments. */
async function rebuildSearch(trx: Executor, id: number): Promise<void> {
	await sql`update questions set search = whole_document(questions) where id = ${id}`.execute(trx)
}

/** How many edits of a question or a comment are stored. */
export async function countRevisions(
	trx: Executor,
	of: { questionId: number } | { commentId: number },
): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from revisions where ${whose(of)}`.execute(trx)
	return rows[0]?.count ?? 0
}

/**
 * Stores the current version of a locked question before an edit; nothing when the edit changes nothing.
 * @param editorId the account that others see, of a member or a pseudonym
 */
export async function recordQuestionRevision(
	trx: Executor,
	id: number,
	editorId: number,
	texts: QuestionTexts,
): Promise<void> {
	await sql`
		insert into revisions (question_id, editor_id, by_moderator, title, description, tags, category, category_id)
		select q.id, ${editorId}::int, q.author_id <> ${editorId}, q.title, q.description, q.tags, c.title, c.id
		from questions q join categories c on c.id = q.category_id
		where q.id = ${id} and (q.title, q.description, q.tags, q.category_id)
			is distinct from (${texts.title}, ${texts.description}, ${texts.tags}::text[], ${texts.categoryId}::int)`.execute(
		trx,
	)
}

/** Like {@link recordQuestionRevision}, for a comment. */
export async function recordCommentRevision(trx: Executor, id: number, editorId: number, body: string): Promise<void> {
	await sql`
		insert into revisions (question_id, comment_id, editor_id, by_moderator, body)
		select question_id, id, ${editorId}::int, author_id <> ${editorId}, body from comments
		where id = ${id} and body <> ${body}`.execute(trx)
}

/** An earlier version of a text, and the edit that replaced it. */
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
	/** Its present title, or that of the one it was merged into. */
	category: string | null
	body: string | null
}

/** Edits of a question or a comment, newest first, starting from `from`. */
export async function listRevisionRows(
	of: { questionId: number } | { commentId: number },
	from: number | null,
	limit: number,
): Promise<RevisionRow[]> {
	const { rows } = await sql<RevisionRow>`
		select r.id, ${isoTime('r.made_at')} as made_at, r.by_moderator,
			u.username, u.name, u.pseudonym_verified, r.title, r.description, r.tags,
			coalesce(main.title, c.title, r.category) as category, r.body
		from revisions r join users u on u.id = r.editor_id
		left join categories c on c.id = r.category_id left join categories main on main.id = c.merged_into
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

/** Who sends a post under which idempotency key, and a hash of what is sent. */
export interface KeyedSubmission {
	authorId: number
	key: string
	digest: string
}

/**
 * Locks an idempotency key for this transaction; another one with the same key waits here until it ends. Must come before any other lock, so
 * that a waiting transaction holds none.
 * @returns what the key was used for, or null when it is unused
 */
export async function claimKey(
	trx: Executor,
	{ authorId, key, digest }: KeyedSubmission,
): Promise<{ digest: string; post_id: number | null; url: string | null } | null> {
	const { rows } = await sql`
		insert into sent_posts (author_id, key, digest) values (${authorId}, ${key}, ${digest})
		on conflict do nothing returning key`.execute(trx)
	if (rows.length > 0) return null
	return trx
		.selectFrom('sent_posts')
		.select(['digest', 'post_id', 'url'])
		.where('author_id', '=', authorId)
		.where('key', '=', key)
		.executeTakeFirstOrThrow()
}

/**
 * Stores what the submission with a locked key has created. A key is kept for at least a day: each submission deletes older ones of its
 * author; an inactive member's last keys stay. Begins its statements at once.
 */
export async function recordKeyResult(
	trx: Executor,
	{ authorId, key }: Omit<KeyedSubmission, 'digest'>,
	made: CreatedPost,
): Promise<void> {
	const recorded = sql`update sent_posts set post_id = ${made.id}, url = ${made.url}
		where author_id = ${authorId} and key = ${key}`
	const older = sql`delete from sent_posts where ctid in (
		select ctid from sent_posts where author_id = ${authorId} and sent_at < now() - interval '1 day' for update skip locked)`
	await Promise.all([recorded.execute(trx), older.execute(trx)])
}
