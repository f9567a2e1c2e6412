import { sql } from 'kysely'
import { memberBehind } from '~/features/members/pseudonyms.queries.server.ts'
import { moderationLimits } from '~/features/moderation/moderation.limits.ts'
import type { QuestionAddress } from '~/features/search/search.view.ts'
import { siteDay } from '~/lib/calendar.ts'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { isDiscussed } from '~/platform/db/posts.server.ts'
import type { PostStatus } from '~/platform/db/schema.ts'
import { isoSeconds, isRecent } from '~/platform/db/times.server.ts'
import { mentionsIn } from '~/platform/markdown/render.server.ts'
import type { EventQuestion, ForumEvent } from '../questions.events.ts'
import { type QuestionPageRow, questionJoins, questionPageColumns } from '../questions.queries.server.ts'
import { type StatusChange, statusAssignments } from '../writing/writing.queries.server.ts'

/* Posts for moderators, whatever their status. A question is locked before its comments. */

export interface LockedPost {
	/** The member, even where they wrote under a pseudonym. */
	author_id: number
	category_id: number
	status: PostStatus
	status_reason: string
	/** Of the question. */
	tags: string[]
	/** The question that it was merged into; that it was merged into before it was hidden. */
	merged_into: number | null
	was_merged_into: number | null
	/** Whether nobody was ever notified of it, as it was never published. */
	unseen: boolean
	locked: boolean
	/** As in {@link fingerprintOf}. */
	fingerprint: string
}

/**
 * SHA-256 of a question's or a comment's text in 64 hex digits: an approval must name the text that was read. The parts are hashed
 * as a JSON array, so that text cannot move between parts without changing the hash.
 */
export const fingerprintOf = {
	query: (table: string) => sha256Of(`${table}.title, ${table}.description, ${table}.tags`),
	comment: (table: string) => sha256Of(`${table}.body`),
}

function sha256Of(columns: string) {
	return sql.raw(`encode(sha256(convert_to(jsonb_build_array(${columns})::text, 'UTF8')), 'hex')`)
}

/** Locks a question for a decision, whatever its status. */
export async function lockAnyQuestion(trx: Executor, id: number): Promise<LockedPost | undefined> {
	const { rows } = await sql<LockedPost>`
		select ${memberBehind(sql.ref('author_id'))} as author_id, category_id, status, status_reason, tags, merged_into, was_merged_into,
			never_published as unseen, locked_at is not null as locked, ${fingerprintOf.query('questions')} as fingerprint
		from questions where id = ${id} for update`.execute(trx)
	return rows[0]
}

/** {@link lockAnyQuestion} for several, in the order of ids, so that two such calls cannot deadlock. @returns those that exist */
export async function lockAnyQuestions(trx: Executor, ids: readonly number[]): Promise<Map<number, LockedPost>> {
	const locked = new Map<number, LockedPost>()
	for (const id of ids.toSorted((one, other) => one - other)) {
		const question = await lockAnyQuestion(trx, id)
		if (question) locked.set(id, question)
	}
	return locked
}

/** Locks a comment for a decision, whatever its status. The caller has locked its question. */
export async function lockAnyComment(
	trx: Executor,
	id: number,
): Promise<Pick<LockedPost, 'author_id' | 'status' | 'unseen' | 'fingerprint'> | undefined> {
	const { rows } = await sql<LockedPost>`
		select ${memberBehind(sql.ref('author_id'))} as author_id, status, never_published as unseen, ${fingerprintOf.comment('comments')} as fingerprint
		from comments where id = ${id} for update`.execute(trx)
	return rows[0]
}

/** One of many comments that a moderator's action has locked. */
export interface HeldComment {
	id: number
	question_id: number
	status: PostStatus
}

/**
 * Locks comments for a decision, whatever their status: after their questions, both in the order of ids, so that two such calls
 * cannot deadlock.
 */
export async function lockAnyComments(trx: Executor, ids: readonly number[]): Promise<HeldComment[]> {
	const isOne = sql`id = any(${[...ids]}::int[])`
	const questions = await sql<{ id: number }>`
		select id from questions where id in (select question_id from comments where ${isOne}) order by id for update`.execute(
		trx,
	)
	const { rows } = await sql<HeldComment>`
		select id, question_id, status from comments
		where ${isOne} and question_id = any(${questions.rows.map(({ id }) => id)}::int[]) order by id for update`.execute(
		trx,
	)
	return rows
}

/** Hides locked comments. Each of their questions is recounted and reindexed once; pending ones are in no count. */
export async function hideHeldComments(
	trx: Executor,
	held: readonly HeldComment[],
	{ reason, by }: { reason: string; by: number },
): Promise<void> {
	await sql`
		update comments set ${statusAssignments({ status: 'hidden', reason, by })}, is_solution = false,
			was_solution = case when status = 'published' then is_solution else was_solution end
		where id = any(${held.map(({ id }) => id)}::int[])`.execute(trx)
	const shown = held.filter(({ status }) => status === 'published').map(({ question_id }) => question_id)
	if (shown.length === 0) return
	await sql`
		update questions q set comment_count = comment_count - gone.count, search = whole_document(q),
			solved = exists (select from comments c where c.question_id = q.id and c.is_solution),
			active_at = greatest(q.created_at, (select max(c.created_at) from comments c where c.question_id = q.id and c.status = 'published'))
		from (select id, count(*)::int as count from unnest(${shown}::int[]) as id group by id) gone where q.id = gone.id`.execute(
		trx,
	)
}

/**
 * Hides or deletes a locked merged question, or merges it again; it is in no count before and after. A trigger clears `was_merged_into`
 * of what is published or merged.
 * @param into null to hide or delete it
 */
export async function setMergedInto(
	trx: Executor,
	id: number,
	change: StatusChange,
	into: number | null,
): Promise<void> {
	await sql`
		update questions set ${statusAssignments(change)}, merged_into = ${into}::int, was_merged_into = merged_into
		where id = ${id}`.execute(trx)
}

/** Closes a question for comments, or opens it again. */
export async function setLocked(trx: Executor, id: number, locked: boolean): Promise<void> {
	await sql`update questions set locked_at = ${locked ? sql`now()` : null} where id = ${id}`.execute(trx)
}

/** The event of a post that a moderator publishes for the first time: its author added it. */
export async function readAddedEvent(
	trx: Executor,
	kind: 'query' | 'comment',
	id: number,
	question: EventQuestion,
	approvedBy: number,
): Promise<ForumEvent> {
	if (kind === 'query') {
		const { description } = await trx
			.selectFrom('questions')
			.select('description')
			.where('id', '=', id)
			.executeTakeFirstOrThrow()
		const actorId = question.authorId
		return { kind: 'question-added', actorId, question, mentioned: mentionsIn(description), approvedBy }
	}
	const { body, ...added } = await trx
		.selectFrom('comments')
		.innerJoin('users', 'users.id', 'comments.author_id')
		.select([
			sql<number>`coalesce(users.pseudonym_of, users.id)`.as('actorId'),
			'username',
			'parent_id as parentId',
			'body',
		])
		.where('comments.id', '=', id)
		.executeTakeFirstOrThrow()
	return { kind: 'comment-added', ...added, mentioned: mentionsIn(body), question, commentId: id, approvedBy }
}

/* Unpublished questions. */

export interface UnpublishedRow extends QuestionPageRow {
	status: PostStatus
	status_reason: string
	never_published: boolean
}

/** A question that is neither published nor deleted. */
export async function findUnpublishedRow(id: number): Promise<UnpublishedRow | undefined> {
	const { rows } = await sql<UnpublishedRow>`
		select ${questionPageColumns}, q.status, q.status_reason, q.never_published
		from questions q ${questionJoins} where q.id = ${id} and q.status in ('pending', 'hidden', 'merged')`.execute(db())
	return rows[0]
}

export interface MergedRow {
	id: number
	merged_into: number
	title: string
	username: string
	category_slug: string
}

/** The address and title of a merged question. */
export async function findMergedRow(id: number): Promise<MergedRow | undefined> {
	const { rows } = await sql<MergedRow>`
		select q.id, q.merged_into, q.title, u.username, c.slug as category_slug
		from questions q ${questionJoins} where q.id = ${id} and q.merged_into is not null`.execute(db())
	return rows[0]
}

/** The parts of the address of a question that everybody can read, as it contains the title. */
export async function findQuestionAddress(id: number): Promise<QuestionAddress | undefined> {
	const { rows } = await sql<QuestionAddress>`
		select q.id, q.title, u.username, c.slug as category_slug from questions q ${questionJoins}
		where q.id = ${id} and q.status in ('published', 'merged')`.execute(db())
	return rows[0]
}

/* Facts for the posting rules. */

/**
 * For each of these limits, seconds until a member may write again: if they wrote `most` or more in the last hour; null otherwise.
 * Deleted posts count.
 */
export async function secondsOverLimits(
	trx: Executor,
	kind: 'query' | 'comment',
	userId: number,
	limits: readonly number[],
): Promise<(number | null)[]> {
	const table = kind === 'query' ? sql`questions` : sql`comments`
	// now() is when this transaction began, possibly before a row was created that it waited for. For pseudonyms only the hour is
	// known: such a post counts as written at its end.
	const { rows } = await sql<{ place: number; seconds: number }>`
		select place::int, extract(epoch from created_at + interval '1 hour' - clock_timestamp())::float8 as seconds from (
			select row_number() over (order by created_at desc, id desc) as place, created_at from (
				select id, created_at from ${table} where author_id = ${userId} and ${isRecent('created_at', '1 hour')}
				union all
				select id, created_at + interval '1 hour' from ${table}
				where author_id in (select id from users where pseudonym_of = ${userId}) and ${isRecent('created_at', '2 hours')}) posts) written
		where place = any(${[...limits]}::int[])`.execute(trx)
	return limits.map((most) => rows.find(({ place }) => place === most)?.seconds ?? null)
}

/** The account that wrote a comment, and the one that it answers, null for none; and the member who wrote it. */
export async function findAuthors(trx: Executor, commentId: number): Promise<CommentAuthors | undefined> {
	const { rows } = await sql<CommentAuthors>`
		select m.author_id, ${memberBehind(sql.ref('m.author_id'))} as member_id, parent.author_id as parent_author_id
		from comments m left join comments parent on parent.id = m.parent_id where m.id = ${commentId}`.execute(trx)
	return rows[0]
}

export interface CommentAuthors {
	author_id: number
	member_id: number
	parent_author_id: number | null
}

/* Contents of a case. */

/** A question or a comment for moderation, whatever its status. */
export interface PostRow {
	id: number
	/** The account that wrote it. */
	author_id: number
	/** Sanitized HTML of its text. */
	html: string
	/** The beginning of its plain text. */
	excerpt: string
	/** As in {@link fingerprintOf}. */
	fingerprint: string
	created_at: string
	status: PostStatus
	status_reason: string
	/** The question itself, or the one that the comment belongs to. */
	question_id: number
	/** The member who asked it. */
	question_author_id: number
	/** As of `authorColumns`. */
	pseudonym_id: number | null
	/** Of the question's author. */
	username: string
	category_slug: string
	title: string
	tags: string[]
	question_status: PostStatus
	/** Whether everybody reads it. */
	is_read: boolean
	locked: boolean
	/** Whether it is pinned now. */
	pinned: boolean
	/** Of its question, as of {@link LockedPost}. */
	was_merged_into: number | null
}

/** SQL condition: the pin `p` is valid today, that is, its last day is not over. */
export const isPinValid = () => sql`(p.until is null or p.until >= ${siteDay(Date.now())}::date)`

const isPinned = () => sql`exists (select from question_pins p where p.question_id = q.id and ${isPinValid()})`
const ofQuestion = () => sql`q.id as question_id, coalesce(users.pseudonym_of, users.id) as question_author_id,
	case when users.pseudonym_of is not null then users.id end as pseudonym_id, users.username, c.slug as category_slug, q.title, q.tags,
	q.status as question_status, q.locked_at is not null as locked, ${isPinned()} as pinned, q.was_merged_into`
const ofEither = (table: 'q' | 'm') =>
	sql`${sql.raw(`${table}.id, ${table}.author_id, ${table}.status, ${table}.status_reason`)}, ${isoSeconds(`${table}.created_at`)} as created_at`
const joins = sql`join users on users.id = q.author_id left join categories c on c.id = q.category_id`

/** Questions by id, whatever their status. */
export async function listQuestionSubjects(ids: number[]): Promise<PostRow[]> {
	const { rows } = await sql<PostRow>`
		select ${ofEither('q')}, ${ofQuestion()}, q.description_html as html, left(q.description, ${moderationLimits.beginning}) as excerpt,
			${fingerprintOf.query('q')} as fingerprint, q.status in ('published', 'merged') as is_read
		from questions q ${joins} where q.id = any(${ids}::int[])`.execute(db())
	return rows
}

/** Comments by id, whatever their status. */
export async function listCommentSubjects(ids: number[]): Promise<PostRow[]> {
	const { rows } = await sql<PostRow>`
		select ${ofEither('m')}, ${ofQuestion()}, m.body_html as html, left(m.body, ${moderationLimits.beginning}) as excerpt,
			${fingerprintOf.comment('m')} as fingerprint,
			m.status = 'published' and (q.status in ('published', 'merged') or ${isDiscussed}) as is_read
		from comments m join questions q on q.id = m.question_id ${joins} where m.id = any(${ids}::int[])`.execute(db())
	return rows
}
