import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'

export interface QuestionTexts {
	title: string
	description: string
	descriptionHtml: string
	excerpt: string
	tags: string[]
	categoryId: number
}

/** Inserts a query with its tags and counts it. @returns its id */
export async function insertQuestion(trx: Executor, authorId: number, texts: QuestionTexts): Promise<number> {
	const { rows } = await sql<{ id: number; created_at: Date }>`
		insert into questions (author_id, category_id, title, description, description_html, excerpt, tags, search)
		values (${authorId}, ${texts.categoryId}, ${texts.title}, ${texts.description}, ${texts.descriptionHtml}, ${texts.excerpt}, ${texts.tags},
			question_document(${texts.title}, ${texts.tags}, ${texts.description}))
		returning id, created_at`.execute(trx)
	const query = rows[0]
	if (!query) throw new Error('A query was not inserted.')
	await countQuestions(trx, texts.categoryId, 1)
	await retagQuestion(trx, query.id, texts.tags)
	return query.id
}

/** A query for writing: locked, so that two edits or an edit and a delete come one after the other. */
export async function lockQuestion(
	trx: Executor,
	id: number,
): Promise<{ author_id: number; category_id: number; version: number } | undefined> {
	return trx
		.selectFrom('questions')
		.select(['author_id', 'category_id', 'version'])
		.where('id', '=', id)
		.where('deleted_at', 'is', null)
		.forUpdate()
		.executeTakeFirst()
}

/** Replaces the texts, tags and category of a query that {@link lockQuestion} holds. */
export async function updateQuestion(
	trx: Executor,
	id: number,
	before: { category_id: number },
	texts: QuestionTexts,
): Promise<void> {
	await sql`update questions set title = ${texts.title}, description = ${texts.description}, description_html = ${texts.descriptionHtml},
		excerpt = ${texts.excerpt}, tags = ${texts.tags}, category_id = ${texts.categoryId}, edited_at = now(), version = version + 1 where id = ${id}`.execute(
		trx,
	)
	if (before.category_id !== texts.categoryId) await moveQuestion(trx, before.category_id, texts.categoryId)
	await retagQuestion(trx, id, texts.tags)
	await rebuildSearch(trx, id)
}

/**
 * Marks a query that {@link lockQuestion} holds as deleted and takes it out of every count. Its rows stay.
 * @param actorId who deleted it; null when it is withheld, and nothing of it may be seen
 */
export async function removeQuestion(
	trx: Executor,
	id: number,
	before: { category_id: number },
	actorId: number | null,
): Promise<void> {
	await sql`update questions set deleted_at = now(), deleted_by = ${actorId}, withdrawn = ${actorId !== null} and exists (
		select 1 from comments m where m.question_id = questions.id and m.author_id <> questions.author_id and m.deleted_at is null)
		where id = ${id}`.execute(trx)
	await countQuestions(trx, before.category_id, -1)
	await retagQuestion(trx, id, [])
}

/**
 * Takes a query back that {@link removeQuestion} took out: into its category, its tags and every count.
 * @param mainTags what its tags are kept as by now; those it had unless they are given
 */
export async function returnQuestion(trx: Executor, id: number, mainTags: string[] | null = null): Promise<void> {
	const { rows } = await sql<{ category_id: number; tags: string[] }>`
		update questions set deleted_at = null, deleted_by = null, withdrawn = false, tags = coalesce(${mainTags}::text[], tags)
		where id = ${id} returning category_id, tags`.execute(trx)
	const query = rows[0]
	if (!query) throw new Error('A query was not there to be taken back.')
	await countQuestions(trx, query.category_id, 1)
	await retagQuestion(trx, id, query.tags)
}

/** Inserts a comment and counts it. @returns its id, or undefined when the parent is not in this query or was deleted */
export async function insertComment(
	trx: Executor,
	comment: { questionId: number; authorId: number; parentId: number | null; body: string; bodyHtml: string },
): Promise<number | undefined> {
	const { questionId, authorId, parentId, body, bodyHtml } = comment
	const { rows } = await sql<{ id: number }>`
		with parent as (select path from comments where id = ${parentId} and question_id = ${questionId} and deleted_at is null for share),
		fresh as (select nextval(pg_get_serial_sequence('comments', 'id'))::int as id)
		insert into comments (id, question_id, author_id, parent_id, path, body, body_html)
		select fresh.id, ${questionId}, ${authorId}, ${parentId}::int, coalesce(parent.path, '{}') || fresh.id, ${body}, ${bodyHtml}
		from fresh left join parent on true where ${parentId}::int is null or parent.path is not null
		returning id`.execute(trx)
	if (!rows[0]) return undefined
	await sql`update questions set comment_count = comment_count + 1, active_at = now(), search = grown_document(search, ${body}) where id = ${questionId}`.execute(
		trx,
	)
	return rows[0].id
}

/** A comment for writing, with its query locked first, so that counters and threads change one at a time. */
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
		.where('deleted_at', 'is', null)
		.forUpdate()
		.executeTakeFirst()
}

export async function updateComment(
	trx: Executor,
	id: number,
	questionId: number,
	body: string,
	bodyHtml: string,
): Promise<void> {
	await sql`update comments set body = ${body}, body_html = ${bodyHtml}, edited_at = now(), version = version + 1 where id = ${id}`.execute(
		trx,
	)
	await rebuildSearch(trx, questionId)
}

/** Marks a comment as deleted; its place stays as long as replies need it. Keeps count and solved state. */
export async function removeComment(trx: Executor, id: number, questionId: number, actorId: number): Promise<void> {
	await sql`update comments set deleted_at = now(), deleted_by = ${actorId}, was_solution = is_solution, is_solution = false, chosen_at = null
		where id = ${id}`.execute(trx)
	await recount(trx, questionId, -1)
}

/** Takes back what {@link removeComment} did; its query must be locked. @returns whether it was deleted */
export async function putBackComment(trx: Executor, id: number, questionId: number): Promise<boolean> {
	const { rows } =
		await sql`update comments set deleted_at = null, deleted_by = null, is_solution = was_solution, was_solution = false,
		chosen_at = case when was_solution then now() end
		where id = ${id} and deleted_at is not null returning id`.execute(trx)
	if (rows.length > 0) await recount(trx, questionId, 1)
	return rows.length > 0
}

async function recount(trx: Executor, questionId: number, difference: 1 | -1): Promise<void> {
	await sql`update questions set comment_count = comment_count + ${difference},
		solved = exists (select 1 from comments where question_id = ${questionId} and is_solution) where id = ${questionId}`.execute(
		trx,
	)
	await rebuildSearch(trx, questionId)
}

/** Makes the text that searches look at anew, from the query and its comments. */
export async function rebuildSearch(trx: Executor, id: number): Promise<void> {
	await sql`update questions set search = whole_document(questions) where id = ${id}`.execute(trx)
}

/*
 * Writers that meet never wait for each other in a circle, because all lock in one order:
 * the query, then categories by id, then the counter, then tags by name. "no key": a foreign key only needs the id to stay.
 */

async function countQuestions(trx: Executor, categoryId: number, change: 1 | -1): Promise<void> {
	await sql`update categories set question_count = question_count + ${change} where id = ${categoryId}`.execute(trx)
	await sql`update counters set value = value + ${change} where name = 'questions'`.execute(trx)
}

async function moveQuestion(trx: Executor, from: number, to: number): Promise<void> {
	await sql`
		with both_ends as (select id from categories where id in (${from}, ${to}) order by id for no key update)
		update categories set question_count = question_count + case categories.id when ${to} then 1 else -1 end
		from both_ends where categories.id = both_ends.id`.execute(trx)
}

/** Makes `tags` the query's own, adding those that nobody used before. */
async function retagQuestion(trx: Executor, id: number, tags: string[]): Promise<void> {
	await sql`insert into tags (name) select name from unnest(${tags}::text[]) as name order by name on conflict do nothing`.execute(
		trx,
	)
	await sql`select 1 from tags where name = any(${tags}) or id in (select tag_id from question_tags where question_id = ${id}) order by name for no key update`.execute(
		trx,
	)
	await sql`
		with gone as (delete from question_tags where question_id = ${id} and tag_id not in (select id from tags where name = any(${tags})) returning tag_id)
		update tags set question_count = question_count - 1 from gone where tags.id = gone.tag_id`.execute(trx)
	await sql`
		with fresh as (
			insert into question_tags (tag_id, question_id, created_at)
			select tags.id, questions.id, questions.created_at from tags, questions where tags.name = any(${tags}) and questions.id = ${id}
			on conflict do nothing returning tag_id)
		update tags set question_count = question_count + 1 from fresh where tags.id = fresh.tag_id`.execute(trx)
}

/** How many edits of a query, or of a comment, are kept. */
export async function countRevisions(
	trx: Executor,
	of: { questionId: number } | { commentId: number },
): Promise<number> {
	const { rows } = await sql<{ count: number }>`
		select count(*)::int as count from revisions where ${whose(of)}`.execute(trx)
	return rows[0]?.count ?? 0
}

/** Keeps what a query says before `texts` take its place; nothing when they say the same. The query must be locked. */
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
	title: string | null
	description: string | null
	tags: string[] | null
	category: string | null
	body: string | null
}

/** Edits of a query or a comment, newest first, from the one named by `from` on. */
export async function listRevisionRows(
	of: { questionId: number } | { commentId: number },
	from: number | null,
	limit: number,
): Promise<RevisionRow[]> {
	const { rows } = await sql<RevisionRow>`
		select r.id, to_char(r.made_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as made_at, r.by_moderator,
			u.username, u.name, r.title, r.description, r.tags, r.category, r.body
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

/** What a post was made as. */
export interface Made {
	id: number
	url: string
}

interface Claim {
	authorId: number
	key: string
	digest: string
}

/** How long a key is remembered, at least. */
const keptFor = sql.raw("interval '1 day'")

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
		await forgetOld(trx, authorId)
		return null
	}
	return trx
		.selectFrom('sent_posts')
		.select(['digest', 'post_id', 'url'])
		.where('author_id', '=', authorId)
		.where('key', '=', key)
		.executeTakeFirstOrThrow()
}

/** Notes what the sending with a claimed key has made. */
export async function noteMade(trx: Executor, { authorId, key }: Omit<Claim, 'digest'>, made: Made): Promise<void> {
	await trx
		.updateTable('sent_posts')
		.set({ post_id: made.id, url: made.url })
		.where('author_id', '=', authorId)
		.where('key', '=', key)
		.execute()
}

/** Each author sweeps behind themselves: what stays of a member who writes no more is what they sent in their last day. */
async function forgetOld(trx: Executor, authorId: number): Promise<void> {
	await sql`delete from sent_posts where ctid in (
		select ctid from sent_posts where author_id = ${authorId} and sent_at < now() - ${keptFor} for update skip locked)`.execute(
		trx,
	)
}
