import { sql } from 'kysely'
import { db, type Executor } from '~/platform/db/db.server.ts'
import { type QuestionPageRow, questionJoins, questionPageColumns } from '../questions.queries.server.ts'
import type { QuestionTexts } from '../writing/writing.queries.server.ts'

/*
 * Changes by authors to their pending texts. Nothing here counts, tags or indexes anything, as pending texts are in no list. No
 * revision is stored either: histories are public, and these words were never published.
 */

/** A question that is published, or pending and this member's own; one statement, as it may be approved in between. */
export async function findChangeableQuestion(
	id: number,
	memberId: number,
	executor: Executor = db(),
): Promise<(QuestionPageRow & { isPending: boolean }) | undefined> {
	const { rows } = await sql<QuestionPageRow & { isPending: boolean }>`
		select ${questionPageColumns}, q.status = 'pending' as "isPending" from questions q ${questionJoins}
		where q.id = ${id} and (q.status = 'published' or coalesce(u.pseudonym_of, u.id) = ${memberId} and q.status = 'pending')`.execute(
		executor,
	)
	return rows[0]
}

/** Locks a pending question, so that an edit and a moderator's decision are serialized. */
export async function lockPendingQuestion(
	trx: Executor,
	id: number,
): Promise<{ category_id: number; version: number } | undefined> {
	return trx
		.selectFrom('questions')
		.select(['category_id', 'version'])
		.where('id', '=', id)
		.where('status', '=', 'pending')
		.forUpdate()
		.executeTakeFirst()
}

/** Replaces the texts, tags and category of a locked pending question. */
export async function updatePendingQuestion(trx: Executor, id: number, texts: QuestionTexts): Promise<void> {
	const { title, description, descriptionHtml, excerpt, tags, categoryId } = texts
	await sql`update questions set title = ${title}, description = ${description}, description_html = ${descriptionHtml},
		excerpt = ${excerpt}, tags = ${tags}, category_id = ${categoryId}, version = version + 1 where id = ${id}`.execute(
		trx,
	)
}

/** A comment of a published question, with the question's tags: published, or pending and this member's own. */
export async function findChangeableComment(
	id: number,
	memberId: number,
): Promise<{ author_id: number; question_id: number; tags: string[]; isPending: boolean } | undefined> {
	const { rows } = await sql<{ author_id: number; question_id: number; tags: string[]; isPending: boolean }>`
		select coalesce(u.pseudonym_of, u.id) as author_id, m.question_id, q.tags, m.status = 'pending' as "isPending"
		from comments m join questions q on q.id = m.question_id join users u on u.id = m.author_id
		where m.id = ${id} and q.status = 'published'
			and (m.status = 'published' or coalesce(u.pseudonym_of, u.id) = ${memberId} and m.status = 'pending')`.execute(
		db(),
	)
	return rows[0]
}

/** Locks a pending comment; the caller has locked its question. */
export async function lockPendingComment(
	trx: Executor,
	id: number,
): Promise<{ body: string; version: number } | undefined> {
	return trx
		.selectFrom('comments')
		.select(['body', 'version'])
		.where('id', '=', id)
		.where('status', '=', 'pending')
		.forUpdate()
		.executeTakeFirst()
}

/** Replaces the text of a locked pending comment. */
export async function updatePendingComment(trx: Executor, id: number, body: string, bodyHtml: string): Promise<void> {
	await sql`update comments set body = ${body}, body_html = ${bodyHtml}, version = version + 1 where id = ${id}`.execute(
		trx,
	)
}
